#!/bin/sh
# SPDX-License-Identifier: MIT
# layout.sh DIR COMMAND... - a number for what both programs have to read alike: the shape of the
# description, the words of a snapshot, the ring, how they are handed over. COMMAND preprocesses its
# input and keeps macros; what files in DIR say counts, comments and headers of others do not.
dir=$1
shift
said=$(printf '#include "%s"\n' expo/description.h sample/ring.c process/shared.c \
	process/wire.h | "$@" |
	awk -v from="\"$dir/" '/^# [0-9]+ "/ { ours = index($0, from); next } ours && NF')
[ -n "$said" ] || exit 1
printf '%s\n' "$said" | sha256sum | cut -c 1-16
