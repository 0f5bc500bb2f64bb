import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { processesWith, until } from './tacho.ts';

/** A real program that reads keys, and how a user interacts with it. */
export interface KeyProgram {
  name: string;
  argv: readonly string[];
  /** Command line prefix of the process that must sleep before a key is typed; else a signal may come too early. */
  sleeps?: string;
  /** The typed keys, each after the program has printed the text before it. */
  steps: readonly (readonly [sees: RegExp, types: string])[];
  ends: { exitCode: number | null; signal?: NodeJS.Signals };
  /** Its last output. */
  prints?: RegExp;
  /** What it must never print. */
  hides?: string;
}

const INTERRUPT = '\x03';
const SUSPEND = '\x1a';
const PASSPHRASE = 'open sesame';

/** The programs, with the files they need in a folder. */
export function keyPrograms(folder: string): readonly KeyProgram[] {
  const long = path.join(folder, 'long');
  fs.writeFileSync(long, Array.from({ length: 500 }, (_, line) => `line ${line}.\n`).join(''));
  const repository = makeRepository(path.join(folder, 'repository'));
  const key = path.join(folder, 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', PASSPHRASE, '-f', key]);
  const otherKey = `${key}-interrupted`;
  fs.copyFileSync(key, otherKey);
  const written = path.join(folder, 'written');
  // Command lines are unique: another test may run the same programs at the same time.
  const own = path.basename(folder);
  return [
    {
      name: 'less, which waits for data until Ctrl-C',
      argv: ['less', '+F', long],
      sleeps: `less\0+F\0${long}`,
      steps: [
        [/Waiting for data/, INTERRUPT],
        [/long|:/, 'g'],
        [/line 0\./, ' '],
        [/line 30\./, SUSPEND],
        [/line 30\./, 'q'],
      ],
      ends: { exitCode: 0 },
    },
    {
      name: 'git log, whose pager is less',
      argv: ['git', '-c', `core.pager=less -j1 -Ps${own}`, '-C', repository, 'log', '--oneline'],
      sleeps: `less\0-j1\0-Ps${own}`,
      steps: [
        [/change 38\b/, ' '],
        [/change 15\b/, INTERRUPT],
        [/change 15\b/, 'G'],
        [/change 1\b/, 'q'],
      ],
      // git gets the interrupt too and acts on it when its pager has ended, as at any terminal.
      ends: { exitCode: null, signal: 'SIGINT' },
    },
    {
      name: 'vi, which reads its text from a pipe',
      // The merged log begins with the command line, which must not have the text that is waited for.
      argv: ['sh', '-c', `printf "one\\ntw%s\\n" o | vi -u NONE -N --cmd "set dir=${folder}" -`],
      sleeps: `vi\0-u\0NONE\0-N\0--cmd\0set dir=${folder}`,
      steps: [
        [/two/, INTERRUPT],
        [/:qa/, 'Otyped\x1b'],
        // The echo comes in pieces with escape sequences, none of which contains a d. After the suspension the screen
        // is redrawn.
        [/INSERT[^d]*d/, SUSPEND],
        [/typed/, `:w! ${written}\r:q!\r`],
      ],
      ends: { exitCode: 0 },
    },
    {
      name: 'dialog',
      argv: ['dialog', '--title', own, '--yesno', 'Proceed?', '8', '40'],
      sleeps: `dialog\0--title\0${own}\0--yesno\0Proceed?`,
      steps: [
        [/Proceed\?/, SUSPEND],
        [/Proceed\?/, '\t\r'],
      ],
      ends: { exitCode: 1 },
    },
    {
      name: 'dialog, interrupted',
      argv: ['dialog', '--title', own, '--yesno', 'Really?', '8', '40'],
      sleeps: `dialog\0--title\0${own}\0--yesno\0Really?`,
      steps: [[/Really\?/, INTERRUPT]],
      // curses catches the signal and leaves with 1.
      ends: { exitCode: 1 },
    },
    {
      name: 'a password prompt on /dev/tty',
      argv: ['ssh-keygen', '-y', '-f', key],
      steps: [[/passphrase[^:]*:/, `${PASSPHRASE}\r`]],
      ends: { exitCode: 0 },
      prints: /ssh-ed25519 \S+/,
      hides: PASSPHRASE,
    },
    {
      name: 'a password prompt on /dev/tty, interrupted',
      argv: ['ssh-keygen', '-y', '-f', otherKey],
      sleeps: `ssh-keygen\0-y\0-f\0${otherKey}`,
      steps: [
        [/passphrase[^:]*:/, SUSPEND],
        [/passphrase[^:]*:/, INTERRUPT],
      ],
      ends: { exitCode: null, signal: 'SIGINT' },
    },
    {
      name: 'a plain read',
      argv: ['sh', '-c', 'echo "name?"; read -r line; echo "got <$line>"'],
      steps: [[/name\?/, `${SUSPEND}someone\r`]],
      ends: { exitCode: 0 },
      prints: /got <someone>/,
    },
    {
      name: 'a plain read, interrupted',
      argv: ['sh', '-c', 'echo "name?"; read -r line; echo "got <$line>"'],
      steps: [[/name\?/, INTERRUPT]],
      ends: { exitCode: null, signal: 'SIGINT' },
    },
  ];
}

/** With more commits than a screen has lines. */
function makeRepository(folder: string): string {
  const commits = Array.from({ length: 60 }, (_, index) => {
    const message = `change ${index + 1}`;
    return `commit refs/heads/main\ncommitter A <a@example.com> ${1_700_000_000 + index} +0000\ndata ${message.length}\n${message}\n`;
  });
  execFileSync('git', ['init', '-q', '-b', 'main', folder]);
  execFileSync('git', ['-C', folder, 'fast-import', '--quiet'], { input: commits.join('') });
  return folder;
}

/** Shorter than the test's timeout, so that the failing step says what it waited for. */
const STEP_TIMEOUT_MS = 60_000;

/** Performs all steps: `output` is the output so far, `type` sends keys. Waits only for output. */
export async function typeThrough(
  { steps, sleeps }: Pick<KeyProgram, 'steps' | 'sleeps'>,
  { output, type }: { output(): string | Promise<string>; type(keys: string): Promise<unknown> },
): Promise<void> {
  let from = 0;
  for (const [index, [sees, types]] of steps.entries()) {
    const deadline = performance.now() + STEP_TIMEOUT_MS;
    for (;;) {
      const text = await output();
      if (sees.test(text.slice(from))) {
        from = text.length;
        break;
      }
      if (performance.now() > deadline) {
        throw new Error(
          `Step ${index + 1} did not see ${sees} in ${JSON.stringify(text.slice(from))}, after ${JSON.stringify(text.slice(0, from))}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    if (sleeps !== undefined) await until(() => isAsleep(sleeps));
    await type(types);
  }
}

/** Whether a process with this command line sleeps, for example in a `read`. */
function isAsleep(commandLine: string): boolean {
  return processesWith(commandLine).some((pid) => {
    try {
      const isThat = fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith(commandLine);
      return isThat && /^\d+ /.test(fs.readFileSync(`/proc/${pid}/syscall`, 'latin1'));
    } catch {
      return false; // The process has ended.
    }
  });
}
