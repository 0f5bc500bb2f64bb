import fs from 'node:fs';
import { listProcesses } from '../../../src/terminal/index.ts';
import { tachoCommand } from '../../support/tacho.ts';

/**
 * Ways in which a process tries to outlive the session that started it: shell scripts, each of which leaves a process
 * that has $T, a number of seconds, on its command line.
 */
export const OUTLIVING_WAYS: Record<string, string> = {
  'in the background': 'sleep $T &',
  'ignoring hang-ups': 'nohup sleep $T >/dev/null 2>&1 &',
  'in its own session': 'setsid sleep $T &',
  'without its parents': `(setsid sh -c 'sleep $0 &' $T &)`,
  'without its environment': 'env -i sleep $T &',
  'without session, parents and environment': `(env -i setsid sh -c 'sleep $0 & exit' $T &)`,
  'ignoring every signal that can be ignored': `(env -i setsid sh -c 'trap "" HUP INT QUIT TERM USR1; sleep $0 & exit' $T &)`,
  stopped: `(env -i setsid perl -e 'kill STOP => $$; sleep 1 while 1' $T &)`,
  'in its own process group': `perl -e 'setpgrp; exec "env", "-i", "sleep", @ARGV' $T &`,
  'as a daemon': `perl -MPOSIX -e 'fork && exit; setsid; fork && exit; chdir "/"; POSIX::close($_) for 0 .. 63; %ENV = (); exec "/bin/sleep", @ARGV' $T`,
  'under another name': `(env -i setsid perl -e '$0 = "[kworker/0:1] $ARGV[0]"; sleep 1 while 1' $T &)`,
  'on its own terminal': `(env -i PATH="$PATH" setsid script -qc "sleep $T" /dev/null >/dev/null 2>&1 &)`,
  'behind a descriptor': 'exec 9> >(env -i setsid sleep $T)',
  'as a program that was deleted': 'cp /bin/sleep ./gone-$T; (env -i setsid ./gone-$T $T & ); sleep 0.1; rm ./gone-$T',
  // The first process lives for a second, so that the test sees it start.
  'forking repeatedly': `(env -i setsid perl -e '$SIG{CHLD} = "IGNORE"; sleep 1; select(undef, undef, undef, 0.02) while !fork || !exit' $T &)`,
  'starting a new process on SIGTERM': `(env -i setsid perl -e '$SIG{TERM} = sub { fork || exec "setsid", "sleep", @ARGV; exit }; sleep 1 while 1' $T &)`,
  'as a thread after the first thread has ended': `(env -i setsid perl -Mthreads -e 'threads->create(sub { sleep 1 while 1 }); syscall(${process.arch === 'arm64' ? 93 : 60}, 0)' $T &)`,
  'in its own namespaces': `(env -i setsid sh -c 'unshare -Upf sleep $0 || exec sleep $0' $T 2>/dev/null &)`,
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
