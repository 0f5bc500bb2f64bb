import { Worker } from 'node:worker_threads';
import { ToolFailure } from '../tool-failure.ts';

const MAX_LINE_CHARS = 500;

export interface FoundLine {
  /** From 1. */
  line: number;
  text: string;
}

export interface LineSearch {
  /** The lines of a text that match, at most `limit`. */
  find(bytes: Uint8Array, limit: number): Promise<FoundLine[]>;
  close(): Promise<void>;
}

interface SearchOptions {
  pattern: string;
  ignoreCase: boolean;
  /** Of all searches together. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** Text of a program rather than a file, so that it needs no place in a bundle. */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const pattern = new RegExp(workerData.pattern, workerData.flags);
parentPort.on('message', ({ bytes, limit }) => {
  const found = [];
  const lines = Buffer.from(bytes).toString().split('\\n');
  for (let index = 0; index < lines.length && found.length < limit; index++) {
    const text = lines[index].endsWith('\\r') ? lines[index].slice(0, -1) : lines[index];
    if (index === lines.length - 1 && text === '') break;
    if (pattern.test(text)) found.push({ line: index + 1, text: text.slice(0, workerData.maxChars) });
  }
  parentPort.postMessage(found);
});
`;

/**
 * Searches lines by a regular expression in another thread. There are expressions that take hours, and nothing but the
 * end of their thread stops them.
 */
export function startLineSearch({ pattern, ignoreCase, timeoutMs, signal }: SearchOptions): LineSearch {
  const flags = `${flagsOf(pattern)}${ignoreCase ? 'i' : ''}`;
  const worker = new Worker(PROGRAM, {
    eval: true,
    workerData: { pattern, flags, maxChars: MAX_LINE_CHARS },
    env: {},
    execArgv: [],
  });
  let timer: NodeJS.Timeout | undefined;
  let onAbort = () => {};
  const stopped = new Promise<never>((_, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => reject(new ToolFailure('failed', 'the search ended unexpectedly')));
    timer = setTimeout(() => reject(tooSlow(timeoutMs)), timeoutMs);
    onAbort = () => reject(new ToolFailure('cancelled', 'the search was cancelled'));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
  // It may also stop while nobody waits for it.
  stopped.catch(() => {});
  return {
    find: (bytes, limit) => {
      const answer = new Promise<FoundLine[]>((resolve) => worker.once('message', resolve));
      worker.postMessage({ bytes, limit });
      return Promise.race([answer, stopped]);
    },
    close: async () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      await worker.terminate();
    },
  };
}

/** Unicode where the pattern allows it. Throws SyntaxError for what is not a regular expression. */
export function flagsOf(pattern: string): 'u' | '' {
  try {
    new RegExp(pattern, 'u');
    return 'u';
  } catch {
    // Stricter than without: \- is an error, for example.
    new RegExp(pattern);
    return '';
  }
}

function tooSlow(timeoutMs: number): ToolFailure {
  const fix = 'Use a simpler pattern, or search fewer files.';
  return new ToolFailure('timeout', `the search took more than ${timeoutMs} ms. ${fix}`);
}
