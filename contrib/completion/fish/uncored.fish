# SPDX-License-Identifier: MIT
# Completion of uncored and uncorectl for fish. What it offers comes from the programs: options from
# --help, names of processors, boxes, events, metrics and groups from `uncorectl list`.

function __uncored_words # of the catalog: what $argv lists, for the processor that the line names
	set -l processor
	set -l previous
	for word in (commandline -opc)
		switch $previous
			case -p --processor
				set processor -p $word
		end
		set previous $word
	end
	for what in $argv
		uncorectl list $what $processor 2>/dev/null | awk '{ print $1 }'
	end | sort -u
end

function __uncored_command # of uncorectl that the line names
	set -l previous
	for word in (commandline -opc)[2..]
		if not string match -q -- '-*' $word
			switch "$previous"
				case -p --processor -c --config '--path-*'
				case '*'
					echo $word
					return
			end
		end
		set previous $word
	end
end

function __uncored_takes_file # whether a command of the user's own stands on the line
	contains -- -- (commandline -opc)
end

for program in uncored uncorectl
	complete -c $program -f -n 'not __uncored_takes_file'
	$program --help 2>/dev/null |
		sed -nE 's/^ +(-([a-z]), )?--([a-z-]+)( [A-Z:]+)? +(.*)/\2\t\3\t\4\t\5/p' |
		while read -d \t -l short long argument help
			set -l option -l $long -d $help
			test -n "$short"; and set -a option -s $short
			switch $long
				case config
					set -a option -rF
				case 'path-*'
					set -a option -xa '(__fish_complete_directories)'
				case processor
					set -a option -xa '(__uncored_words processors)'
				case groups
					set -a option -xa '(__uncored_words groups)'
				case engine
					set -a option -xa 'auto registers perf model'
				case output
					set -a option -xa 'json csv'
				case format
					set -a option -xa 'prometheus openmetrics json'
				case log-level
					set -a option -xa 'err warning notice info debug'
				case '*'
					test -n "$argument"; and set -a option -x
			end
			complete -c $program -n 'not __uncored_takes_file' $option
		end
end

uncorectl --help 2>/dev/null | sed -nE 's/^  ([a-z]+) .*  ([^ ].*)/\1\t\2/p' |
	while read -d \t -l name help
		complete -c uncorectl -n 'test -z "$(__uncored_command)"' -a $name -d $help
	end
complete -c uncorectl -n 'test "$(__uncored_command)" = list' \
	-a 'boxes events metrics groups processors'
complete -c uncorectl -n 'test "$(__uncored_command)" = describe' \
	-a '(__uncored_words boxes events metrics groups)'
complete -c uncorectl -n 'test "$(__uncored_command)" = encode' -a '(__uncored_words events)'
