import { spawn } from 'node:child_process';
import { type ErrorCode, EXIT_CODES, TachoError } from '../../protocol/index.ts';

/** A log may be large, or made to be: a replay that takes longer is given up. */
const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const MAX_HEAP_MB = 1024;

export interface AgentCommandOptions {
  /** The command that starts tacho. */
  command: readonly string[];
  dataFolder: string;
  environment: NodeJS.ProcessEnv;
  timeoutMs?: number | undefined;
  maxHeapMb?: number | undefined;
  signal: AbortSignal;
}

/**
 * Runs `tacho agent …` as a process of its own, with bounds of time and memory: whatever a log holds, the server goes on.
 * Returns what it printed as JSON. Throws the error that it reported.
 */
export async function runAgentCommand(words: readonly string[], options: AgentCommandOptions): Promise<unknown> {
  const { command, dataFolder, environment, timeoutMs = TIMEOUT_MS, maxHeapMb = MAX_HEAP_MB, signal } = options;
  const [program, ...before] = command;
  const child = spawn(program!, [...before, 'agent', ...words, '--json', '--data', dataFolder], {
    cwd: dataFolder,
    env: {
      ...environment,
      TACHO_HOME: dataFolder,
      NODE_OPTIONS: `${environment.NODE_OPTIONS ?? ''} --max-old-space-size=${maxHeapMb}`.trim(),
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let failure: TachoError | null = null;
  const kill = (why: TachoError | null) => {
    failure ??= why;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(() => kill(tooLong(timeoutMs)), timeoutMs);
  const leave = () => kill(null);
  signal.addEventListener('abort', leave);
  const pieces: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (piece: Buffer) => {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > MAX_OUTPUT_BYTES) kill(failed('it printed too much'));
  });
  try {
    const ended = await new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, killedBy) => resolve({ code, signal: killedBy }));
    });
    signal.throwIfAborted();
    if (failure) throw failure;
    return answerIn(Buffer.concat(pieces).toString(), ended);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  }
}

function answerIn(text: string, end: { code: number | null; signal: string | null }): unknown {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    // A process without memory for more ends by a signal.
    const { code, signal } = end;
    throw failed(signal === null ? `it exited with ${code}` : `it was ended by ${signal}, possibly for lack of memory`);
  }
  const { error } = (answer ?? {}) as { error?: { code: string; message: string; fix?: string | null } };
  if (!error) return answer;
  const code = Object.hasOwn(EXIT_CODES, error.code) ? (error.code as ErrorCode) : 'INTERNAL';
  throw new TachoError(code, error.message, error.fix ? { fix: error.fix } : {});
}

function tooLong(timeoutMs: number): TachoError {
  return new TachoError('COMMAND_TIMEOUT', `it took longer than ${Math.round(timeoutMs / 1000)} s`, {
    fix: 'Use tacho agent replay on the command line, which has no timeout.',
  });
}

function failed(why: string): TachoError {
  return new TachoError('RESOURCE_PRESSURE', `the log could not be read in a process of its own: ${why}`, {
    fix: 'Use tacho agent replay or tacho agent fork on the command line.',
  });
}
