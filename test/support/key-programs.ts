import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** A real program that reads keys, and what a person does with it. */
export interface KeyProgram {
  name: string;
  argv: readonly string[];
  /** What is typed, each as soon as the program has printed what stands before it. */
  steps: readonly (readonly [sees: RegExp, types: string])[];
  ends: { exitCode: number | null; signal?: NodeJS.Signals };
  /** What it prints at last. */
  prints?: RegExp;
  /** What it must never print. */
  hides?: string;
}

const INTERRUPT = '\x03';
const SUSPEND = '\x1a';
const PASSPHRASE = 'open sesame';

/** The programs, with what they need prepared in a folder. */
export function keyPrograms(folder: string): readonly KeyProgram[] {
  const long = path.join(folder, 'long');
  fs.writeFileSync(long, Array.from({ length: 500 }, (_, line) => `line ${line}.\n`).join(''));
  const repository = makeRepository(path.join(folder, 'repository'));
  const key = path.join(folder, 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', PASSPHRASE, '-f', key]);
  const written = path.join(folder, 'written');
  return [
    {
      name: 'less, which waits for data until Ctrl-C',
      argv: ['less', '+F', long],
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
      argv: ['git', '-c', 'core.pager=less', '-C', repository, 'log', '--oneline'],
      steps: [
        [/change 60/, ' '],
        [/change 30/, INTERRUPT],
        [/change 30/, 'G'],
        [/change 1\b/, 'q'],
      ],
      // git heard the interrupt too and acts on it when its pager has ended, as at any terminal.
      ends: { exitCode: null, signal: 'SIGINT' },
    },
    {
      name: 'vi, which reads its text from a pipe',
      argv: ['sh', '-c', 'printf "one\\ntwo\\n" | vi -u NONE -N -'],
      steps: [
        [/two/, INTERRUPT],
        [/:qa/, 'Otyped\x1b'],
        [/typed/, SUSPEND],
        [/typed/, `:w! ${written}\r:q!\r`],
      ],
      ends: { exitCode: 0 },
    },
    {
      name: 'dialog',
      argv: ['dialog', '--yesno', 'Proceed?', '8', '40'],
      steps: [
        [/Proceed\?/, SUSPEND],
        [/Proceed\?/, '\t\r'],
      ],
      ends: { exitCode: 1 },
    },
    {
      name: 'dialog, interrupted',
      argv: ['dialog', '--yesno', 'Proceed?', '8', '40'],
      steps: [[/Proceed\?/, INTERRUPT]],
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
      argv: ['ssh-keygen', '-y', '-f', key],
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

/** Does all of it: `output` is what was printed so far, `type` sends keys. Waits for nothing but what is printed. */
export async function useProgram(
  { steps }: Pick<KeyProgram, 'steps'>,
  { output, type }: { output(): string | Promise<string>; type(keys: string): Promise<unknown> },
): Promise<void> {
  let from = 0;
  for (const [sees, types] of steps) {
    for (;;) {
      const text = await output();
      const match = sees.exec(text.slice(from));
      if (match) {
        from = text.length;
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await type(types);
  }
}
