import { type ChildProcess, fork } from 'node:child_process';
import { buildProgram } from './build-program.ts';

export interface Reading {
  url: string;
  headers: Record<string, string>;
  readers: number;
  /** `slow` reads 64 KiB now and then, `stalled` nothing until `hurry`. */
  pace: 'full' | 'slow' | 'stalled';
  /** Whether to count events, or only bytes. */
  count: boolean;
}

export interface StreamReport {
  readers: { events: number; bytes: number; lastId: number /** Duplicate or late events. */; disorder: number }[];
  /** From the first byte of any reader to the last. */
  seconds: number;
}

/** Readers of one event stream, in a separate process. */
export interface StreamReaders {
  /** All streams have ended. */
  ended: Promise<void>;
  /** Makes them read as fast as they can. */
  hurry(): void;
  /** Returns what they have read, and ends them. */
  report(): Promise<StreamReport>;
}

/** Resolves when all of them are connected. */
export async function openReaders(reading: Reading): Promise<StreamReaders> {
  const program = buildProgram(new URL('../programs/read-streams.ts', import.meta.url));
  const child = fork(program, [JSON.stringify(reading)], { execArgv: [], stdio: ['ignore', 2, 2, 'ipc'] });
  const ended = receive(child, (message) => message === 'ended').then(() => {});
  // Callers that only want a report do not await it.
  ended.catch(() => {});
  await receive(child, (message) => message === 'open');
  return {
    ended,
    hurry: () => void child.send('hurry'),
    async report() {
      const reported = receive(child, (message) => typeof message === 'object');
      child.send('report');
      return (await reported) as StreamReport;
    },
  };
}

function receive(child: ChildProcess, isWanted: (message: unknown) => boolean): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.on('message', (message) => isWanted(message) && resolve(message));
    child.once('exit', () => reject(new Error('the readers are gone')));
  });
}
