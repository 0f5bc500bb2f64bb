#!/bin/bash
# Prints what the program's three descriptors are, and the size of each terminal.
exec 10<&0 11<&1 12<&2
for fd in 0 1 2; do
  [ -t "$fd" ] && tty=yes || tty=no
  echo "$fd tty=$tty size=$(stty size <&"1$fd") device=$(readlink "/proc/$$/fd/$fd")"
done
echo "controlling=$(ps -o tty= -p $$ | tr -d ' ') session=$(ps -o sid= -p $$ | tr -d ' ') pid=$$"
