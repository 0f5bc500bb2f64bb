import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { attemptFileNames, type Meta } from '../../src/protocol/index.ts';
import { buildProgram } from './build-program.ts';
import { installNodePty } from './node-pty.ts';

/** Measurements of one recording of a command. */
export interface Taken {
  /** From before the start of the recorder to after its end. */
  wallMs: number;
  /** From the start of the command to its last byte read, if the recorder reports it. */
  spanMs: number | null;
  /** Bytes of output received, if the recorder reports it. */
  bytes: number | null;
}

/** A way to record a command; null when it is unavailable on this machine. */
export interface Recorder {
  name: string;
  record: ((argv: readonly string[]) => Taken) | null;
}

const tacho = path.join(path.dirname(path.dirname(import.meta.dirname)), 'bin', 'tacho');

export function tachoRun(): Recorder {
  const record = (argv: readonly string[]): Taken =>
    inFolder((folder) => {
      const env = { ...process.env, TACHO_HOME: folder };
      const { wallMs } = timed([tacho, 'run', '--scratch', '--', ...argv], { env });
      const runs = path.join(folder, 'runs');
      const audit = path.join(runs, fs.readdirSync(runs)[0]!, '.audit');
      const meta = JSON.parse(fs.readFileSync(path.join(audit, attemptFileNames(1).meta), 'utf8')) as Meta;
      return { wallMs, spanMs: meta.duration_ms, bytes: meta.parse!.bytes };
    });
  return { name: 'tacho run', record };
}

export function barePty(): Recorder {
  const program = buildProgram(new URL('../programs/bare-pty.ts', import.meta.url));
  return { name: 'bare PTY', record: (argv) => timedProgram([process.execPath, program, ...argv]) };
}

/** One PTY, with strace to separate the two streams. */
export function scriptWithStrace(): Recorder {
  const options = ['-f', '-yy', '-s', '65535', '-e', 'trace=write', '-e', 'write=1,2'];
  return { name: 'script + strace', record: available('script', 'strace') ? underScript(options) : null };
}

export function scriptWithFilteredStrace(): Recorder {
  const options = ['-f', '--seccomp-bpf', '-yy', '-s', '65535', '-e', 'trace=write'];
  return { name: 'script + strace --seccomp-bpf', record: available('script', 'strace') ? underScript(options) : null };
}

export function asciinema(): Recorder {
  const record = (argv: readonly string[]): Taken =>
    inFolder((folder) => {
      const env = { ...process.env, LANG: 'C.UTF-8', HOME: folder };
      return timed(['asciinema', 'rec', '-q', '-c', shellText(argv), path.join(folder, 'record.cast')], { env });
    });
  return { name: 'asciinema rec', record: available('asciinema') ? record : null };
}

export function tlog(): Recorder {
  const record = (argv: readonly string[]): Taken =>
    inFolder((folder) => {
      const env = { ...process.env, LANG: 'C.UTF-8' };
      const command = ['/bin/sh', '-c', `exec ${shellText(argv)}`];
      return timed(['tlog-rec', '--writer=file', `--file-path=${path.join(folder, 'record.log')}`, ...command], {
        env,
      });
    });
  return { name: 'tlog-rec', record: available('tlog-rec') ? record : null };
}

export function nodePty(): Recorder {
  const installed = installNodePty();
  if (installed === null) return { name: 'node-pty', record: null };
  const program = buildProgram(new URL('../programs/node-pty-record.ts', import.meta.url));
  const record = (argv: readonly string[]): Taken =>
    inFolder((folder) =>
      timedProgram([process.execPath, program, installed, path.join(folder, 'record.log'), ...argv]),
    );
  return { name: 'node-pty, each piece to a file', record };
}

function underScript(straceOptions: readonly string[]): (argv: readonly string[]) => Taken {
  return (argv) =>
    inFolder((folder) => {
      const at = (name: string) => path.join(folder, name);
      const command = shellText(['strace', ...straceOptions, '-o', at('trace'), '--', ...argv]);
      const logs = ['--log-in', at('in'), '--log-out', at('out'), '--log-timing', at('timing')];
      return timed(['script', '-qef', ...logs, '--command', command]);
    });
}

function timed(argv: readonly string[], options: SpawnSyncOptions = {}): Taken {
  const start = performance.now();
  const done = spawnSync(argv[0]!, argv.slice(1), { stdio: ['ignore', 'ignore', 'pipe'], ...options });
  const wallMs = performance.now() - start;
  if (done.status !== 0) throw new Error(`${argv[0]} failed: ${done.error?.message ?? done.stderr}`);
  return { wallMs, spanMs: null, bytes: null };
}

/** One of our programs, which prints its span as JSON. */
function timedProgram(argv: readonly string[]): Taken {
  const start = performance.now();
  const done = spawnSync(argv[0]!, argv.slice(1), { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
  const wallMs = performance.now() - start;
  if (done.status !== 0) throw new Error(`${argv[1]} failed`);
  const { spanMs, bytes } = JSON.parse(done.stdout) as { spanMs: number; bytes: number };
  return { wallMs, spanMs, bytes };
}

function inFolder<T>(work: (folder: string) => T): T {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  try {
    return work(folder);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

function available(...programs: string[]): boolean {
  const folders = (process.env.PATH ?? '').split(':');
  return programs.every((program) => folders.some((folder) => fs.existsSync(path.join(folder, program))));
}

function shellText(argv: readonly string[]): string {
  return argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
}
