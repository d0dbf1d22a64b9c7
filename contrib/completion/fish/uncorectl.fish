# SPDX-License-Identifier: MIT
# fish looks for a file of the program's name.
source (status dirname)/uncored.fish
