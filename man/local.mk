# files of man
