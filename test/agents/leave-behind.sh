#!/bin/bash
# Leaves a process behind in one of several ways and prints its pid; then exits, or waits to be ended.
# Usage: leave-behind.sh <way> <exit|wait>
ready=$(mktemp)
trap 'rm -f "$ready"' EXIT
say='echo "pid $$"; echo > "$0"'

case "$1" in
  background) bash -c "$say; exec sleep 300" "$ready" & ;;
  # Its pipe is open, and the process behind it has ended, before it prints its pid.
  stubborn) bash -c "trap '' TERM INT HUP; exec 9<> <(:); wait \$!; $say; while :; do read -rt 60 <&9; done" "$ready" & ;;
  setsid) setsid bash -c "$say; exec sleep 300" "$ready" & ;;
  double-fork) (setsid bash -c 'bash -c "$1" "$0" & exit' "$ready" "$say; exec sleep 300" &) & ;;
  no-environment) (env -i /usr/bin/setsid /bin/sh -c "$say; exec /bin/sleep 300" "$ready" &) & ;;
  stopped) bash -c "$say; kill -STOP \$\$; sleep 300" "$ready" & ;;
  # On SIGTERM it leaves another process behind.
  on-term) setsid bash -c "trap '(setsid bash -c \"\$1\" /dev/null &); exit' TERM; $say; while :; do sleep 0.01; done" "$ready" "$say; exec sleep 300" & ;;
esac
until [ -s "$ready" ]; do sleep 0.01; done
[ "$2" = exit ] && exit 0
echo waiting
while :; do sleep 60; done
