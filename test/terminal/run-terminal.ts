import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { isRunning as isProcessRunning, readProcessStat } from '../../src/files/index.ts';
import { Terminal, type TerminalEnd, type TerminalSide } from '../../src/terminal/index.ts';
import { restAfter } from '../support/tacho.ts';

export { temporaryFolder } from '../support/tacho.ts';

export type StartOptions = Partial<Parameters<typeof Terminal.start>[0]>;

/** A command on its terminals, with all its output. */
export interface RunningTerminal {
  terminal: Terminal;
  output(side?: TerminalSide): Buffer;
  text(side?: TerminalSide): string;
  /** Resolves when the output so far matches; rejects when the command ends without it. */
  printed(pattern: string | RegExp, side?: TerminalSide): Promise<void>;
}

export interface FinishedTerminal extends TerminalEnd {
  a: Buffer;
  b: Buffer;
}

export const agent = (name: string) => fileURLToPath(new URL(`../agents/${name}`, import.meta.url));

export function startTerminal(argv: readonly string[], options: StartOptions = {}): RunningTerminal {
  const chunks: Record<TerminalSide, Buffer[]> = { a: [], b: [] };
  const waiting = new Set<() => void>();
  const terminal = Terminal.start({
    argv,
    cwd: os.tmpdir(),
    env: { PATH: process.env.PATH!, LANG: 'C.UTF-8', TERM: 'xterm-256color' },
    mode: 'split',
    cols: 80,
    rows: 24,
    echo: false,
    marker: randomUUID(),
    lingerMs: 1000,
    killGraceMs: 1000,
    ...options,
    onOutput: (side, bytes) => {
      chunks[side].push(Buffer.from(bytes));
      options.onOutput?.(side, bytes);
      for (const look of waiting) look();
    },
  });
  const output = (side: TerminalSide = 'a') => Buffer.concat(chunks[side]);
  const text = (side: TerminalSide = 'a') => output(side).toString('utf8');
  const printed = (pattern: string | RegExp, side: TerminalSide = 'a') =>
    new Promise<void>((resolve, reject) => {
      const matches = () => (typeof pattern === 'string' ? text(side).includes(pattern) : pattern.test(text(side)));
      const look = () => {
        if (!matches()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      terminal.ended.then(
        () => reject(new Error(`ended without printing ${pattern}: ${text('a')}${text('b')}`)),
        reject,
      );
      look();
    });
  return { terminal, output, text, printed };
}

/**
 * A command as a user starts it, killed when the test ends. The shell prints the modes of the terminal before and
 * after it, and its exit code.
 */
export function atTerminal(words: readonly string[], home: string, env: Record<string, string> = {}): RunningTerminal {
  const script = 'stty -g; "$@"; echo "code $?"; stty -g';
  const running = startTerminal(['bash', '--norc', '-c', script, 'bash', ...words], {
    mode: 'merged',
    echo: true,
    env: {
      PATH: process.env.PATH!,
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      TACHO_HOME: home,
      NO_COLOR: '1',
      ...env,
    },
  });
  onTestFinished(async () => {
    await running.terminal.kill(0);
    await running.terminal.ended;
  });
  return running;
}

/** Runs the command to its end, with `meanwhile` in parallel. */
export async function runTerminal(
  argv: readonly string[],
  options: StartOptions = {},
  meanwhile?: (running: RunningTerminal) => Promise<void> | void,
): Promise<FinishedTerminal> {
  const running = startTerminal(argv, options);
  const [end] = await Promise.all([running.terminal.ended, meanwhile?.(running)]);
  return { ...end, a: running.output('a'), b: running.output('b') };
}

/** Processes the items with limited concurrency. */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** The time limit is not an assertion: it only gives a failure a clear message. */
export async function until(condition: () => boolean, what: string, withinMs = 60_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const begun = performance.now();
    if (condition()) return;
    if (performance.now() > deadline) throw new Error(`did not happen within ${withinMs} ms: ${what}`);
    await restAfter(performance.now() - begun);
  }
}

/** True while the process runs. A zombie, or one that its parent is collecting (state X), does not. */
export function isRunning(pid: number): boolean {
  return isProcessRunning({ pid });
}

/** Our own children that have ended but were not collected. */
export function zombies(): number[] {
  const children = fs.readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1').split(' ').filter(Boolean);
  return children.map(Number).filter((pid) => readProcessStat(pid)?.state === 'Z');
}

export function openDescriptors(): string[] {
  const names = [];
  for (const fd of fs.readdirSync('/proc/self/fd')) {
    try {
      names.push(`${fd} ${fs.readlinkSync(`/proc/self/fd/${fd}`)}`);
    } catch {
      // The descriptor that listed the folder.
    }
  }
  return names;
}
