#!/bin/bash
# Leaves processes behind in every way there is, prints their pids, and ends, or waits to be ended.
# Usage: leave-behind.sh <how> <exit|wait>
case "$1" in
  background) sleep 300 & echo "pid $!" ;;
  stubborn) bash -c 'trap "" TERM INT HUP; echo "pid $BASHPID"; while :; do read -rt 60 <> <(:); done' & sleep 0.1 ;;
  setsid) setsid bash -c 'echo "pid $BASHPID"; exec sleep 300' & sleep 0.1 ;;
  double-fork) (setsid bash -c 'bash -c "echo pid \$BASHPID; exec sleep 300" & exit' &) & sleep 0.1 ;;
  no-environment) (env -i /usr/bin/setsid /bin/sh -c 'echo "pid $$"; exec /bin/sleep 300' &) & sleep 0.1 ;;
  stopped) bash -c 'echo "pid $BASHPID"; kill -STOP $BASHPID; sleep 300' & sleep 0.1 ;;
  on-term) setsid bash -c 'trap "(setsid bash -c '\''echo pid \$BASHPID; exec sleep 300'\'' &); exit" TERM; echo "pid $BASHPID"; while :; do sleep 0.01; done' & sleep 0.1 ;;
esac
[ "$2" = exit ] && exit 0
echo waiting
while :; do sleep 60; done
