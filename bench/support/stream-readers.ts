import { type ChildProcess, fork } from 'node:child_process';
import { buildProgram } from './build-program.ts';

export interface Reading {
  url: string;
  headers: Record<string, string>;
  readers: number;
  /** `slow` takes 64 KiB now and then, `stalled` nothing until it is told to hurry. */
  pace: 'full' | 'slow' | 'stalled';
  /** Whether events are counted one by one, or only bytes. */
  count: boolean;
}

export interface StreamReport {
  readers: { events: number; bytes: number; lastId: number /** Events that came twice or late. */; disorder: number }[];
  /** From the first byte any of them got to the last. */
  seconds: number;
}

/** Readers of one event stream, in a process of their own. */
export interface StreamReaders {
  /** All of their streams have ended. */
  ended: Promise<void>;
  /** From now on they read as fast as they can. */
  hurry(): void;
  /** What they have read; ends them. */
  report(): Promise<StreamReport>;
}

/** Resolves when all of them are connected. */
export async function openReaders(reading: Reading): Promise<StreamReaders> {
  const program = buildProgram(new URL('../programs/read-streams.ts', import.meta.url));
  const child = fork(program, [JSON.stringify(reading)], { execArgv: [], stdio: ['ignore', 2, 2, 'ipc'] });
  const ended = told(child, (message) => message === 'ended').then(() => {});
  // Whoever asks only for a report has no use for it.
  ended.catch(() => {});
  await told(child, (message) => message === 'open');
  return {
    ended,
    hurry: () => void child.send('hurry'),
    async report() {
      const reported = told(child, (message) => typeof message === 'object');
      child.send('report');
      return (await reported) as StreamReport;
    },
  };
}

function told(child: ChildProcess, isIt: (message: unknown) => boolean): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.on('message', (message) => isIt(message) && resolve(message));
    child.once('exit', () => reject(new Error('the readers are gone')));
  });
}
