# files of contrib
