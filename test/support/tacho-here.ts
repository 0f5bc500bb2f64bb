import { Readable } from 'node:stream';
import type { Finished, TachoOptions } from './tacho.ts';

/** Events for which a command may leave listeners behind. */
const LISTENED: readonly (readonly [NodeJS.EventEmitter, string])[] = [
  [process, 'uncaughtException'],
  [process, 'unhandledRejection'],
  [process, 'SIGINT'],
  [process, 'SIGTERM'],
  [process, 'SIGHUP'],
  [process.stdout, 'error'],
  [process.stderr, 'error'],
];

let previous: Promise<unknown> = Promise.resolve();

/**
 * Runs a tacho command in this process, for tests that do not test the command itself: starting the built command takes
 * longer than most commands. One at a time, because input and output belong to the whole process. A run recorded this
 * way leaves unmarked orphans alone, because this process also adopts those of other tests.
 */
export function tachoHere(args: readonly string[], options: Required<TachoOptions>): Promise<Finished> {
  const next = previous.then(() => runHere(args, options));
  previous = next.catch(() => {});
  return next;
}

async function runHere(args: readonly string[], { cwd, env, input }: Required<TachoOptions>): Promise<Finished> {
  const { runCommandLine } = await import('../../src/cli/command-line.ts');
  const { FIRST_ATTEMPT } = await import('../../src/runs/index.ts');
  const before = { cwd: process.cwd(), env: process.env, exitCode: process.exitCode };
  const listeners = LISTENED.map(([emitter, event]) => emitter.listeners(event));
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!;
  Object.defineProperty(process, 'stdin', { value: inputOf(input), configurable: true });
  const stdout = capture(process.stdout);
  const stderr = capture(process.stderr);
  process.env = { ...env };
  process.exitCode = undefined;
  FIRST_ATTEMPT.exclusive = false;
  try {
    process.chdir(cwd);
    await runCommandLine(args);
    return { code: Number(process.exitCode ?? 0), signal: null, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    FIRST_ATTEMPT.exclusive = true;
    stdout.release();
    stderr.release();
    Object.defineProperty(process, 'stdin', stdin);
    process.chdir(before.cwd);
    process.env = before.env;
    process.exitCode = before.exitCode;
    for (const [index, [emitter, event]] of LISTENED.entries()) {
      const added = emitter.listeners(event).filter((one) => !listeners[index]!.includes(one));
      for (const one of added) emitter.off(event, one as () => void);
    }
  }
}

function inputOf(input: string | Buffer): Readable {
  const bytes = Buffer.from(input as string);
  return Readable.from(bytes.length === 0 ? [] : [bytes]);
}

/** Captures the output of the stream instead of writing it. */
function capture(stream: NodeJS.WriteStream): { text(): string; release(): void } {
  const pieces: Buffer[] = [];
  const write = stream.write;
  stream.write = ((bytes: Buffer | string, ...more: unknown[]) => {
    pieces.push(Buffer.from(bytes as string));
    const taken = more.findLast((one) => typeof one === 'function');
    if (taken) process.nextTick(taken as () => void);
    return true;
  }) as typeof stream.write;
  return {
    text: () => Buffer.concat(pieces).toString(),
    release: () => {
      stream.write = write;
    },
  };
}
