import fs from 'node:fs';
import { listProcesses } from '../../../src/terminal/index.ts';
import { tachoCommand } from '../../support/tacho.ts';

/**
 * Ways in which a process tries to outlive the session that started it: shell scripts, each of which leaves a process
 * that has $T, a number of seconds, on its command line.
 */
export const OUTLIVING_WAYS: Record<string, string> = {
  'in the background': 'sleep $T &',
  'deaf to hang-ups': 'nohup sleep $T >/dev/null 2>&1 &',
  'in a session of its own': 'setsid sleep $T &',
  'without its parents': `(setsid sh -c 'sleep $0 &' $T &)`,
  'without its environment': 'env -i sleep $T &',
  'without session, parents and environment': `(env -i setsid sh -c 'sleep $0 & exit' $T &)`,
  'deaf to every signal it can be': `(env -i setsid sh -c 'trap "" HUP INT QUIT TERM USR1; sleep $0 & exit' $T &)`,
  stopped: `(env -i setsid perl -e 'kill STOP => $$; sleep 1 while 1' $T &)`,
  'in a process group of its own': `perl -e 'setpgrp; exec "env", "-i", "sleep", @ARGV' $T &`,
  'as a daemon': `perl -MPOSIX -e 'fork && exit; setsid; fork && exit; chdir "/"; POSIX::close($_) for 0 .. 63; %ENV = (); exec "/bin/sleep", @ARGV' $T`,
  'under another name': `(env -i setsid perl -e '$0 = "[kworker/0:1] $ARGV[0]"; sleep 1 while 1' $T &)`,
  'on a terminal of its own': `(env -i PATH="$PATH" setsid script -qc "sleep $T" /dev/null >/dev/null 2>&1 &)`,
  'behind a descriptor': 'exec 9> >(env -i setsid sleep $T)',
  'as a program that was deleted': 'cp /bin/sleep ./gone-$T; (env -i setsid ./gone-$T $T & ); sleep 0.1; rm ./gone-$T',
  // The first of them stays for a second, so that the test sees it begin.
  'forking on and on': `(env -i setsid perl -e '$SIG{CHLD} = "IGNORE"; sleep 1; select(undef, undef, undef, 0.02) while !fork || !exit' $T &)`,
  'starting anew when it is told to end': `(env -i setsid perl -e '$SIG{TERM} = sub { fork || exec "setsid", "sleep", @ARGV; exit }; sleep 1 while 1' $T &)`,
  'as a thread whose first one has ended': `(env -i setsid perl -Mthreads -e 'threads->create(sub { sleep 1 while 1 }); syscall(${process.arch === 'arm64' ? 93 : 60}, 0)' $T &)`,
  'in namespaces of its own': `(env -i setsid sh -c 'unshare -Upf sleep $0 || exec sleep $0' $T 2>/dev/null &)`,
  'as another user': `(setpriv --reuid 65534 --clear-groups env -i setsid sleep $T 2>/dev/null || env -i setsid sleep $T) &`,
  'under a tracer': '(env -i setsid strace -o /dev/null /bin/sleep $T &)',
  'with its tag lowered': `(ulimit -x 7; env -i setsid sh -c 'sleep $0 & exit' $T &)`,
  'under another recorder': `(env -i PATH="$PATH" HOME="$PWD" TACHO_HOME="$PWD/.inner" setsid ${process.execPath} ${tachoCommand} run -- env -i setsid sleep $T >/dev/null 2>&1 &)`,
};

let used = 0;

/** A number of seconds that no other process sleeps. */
export function uniqueSeconds(): string {
  return `1000.${process.pid}${String(++used).padStart(4, '0')}`;
}

/** Programs that start the process and then end or exec; and the recorder, whose arguments contain its command. */
const STARTERS = /^(\S*\/)?(ba)?sh\0-c|^(\S*\/)?(env|setsid|setpriv|node)\0/;

/** Live processes with this number on their command line; `settled` leaves out those about to call exec. */
export function leftSleeping(seconds: string, { settled = false } = {}): number[] {
  return listProcesses().flatMap(({ pid, zombie }) => {
    const words = zombie ? '' : commandLine(pid);
    return words.includes(seconds) && !(settled && STARTERS.test(words)) ? [pid] : [];
  });
}

/** If the first thread has ended, the other threads still have the command line. */
function commandLine(pid: number): string {
  try {
    const own = fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1');
    if (own !== '') return own;
    const tasks = fs.readdirSync(`/proc/${pid}/task`);
    return tasks.map((task) => fs.readFileSync(`/proc/${pid}/task/${task}/cmdline`, 'latin1')).join('');
  } catch {
    return ''; // The process has ended.
  }
}
