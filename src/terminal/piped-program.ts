import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import { beforeFatalExit, readProcessStat } from '../files/index.ts';
import { TachoError } from '../protocol/index.ts';
import type { StreamName } from '../protocol/terminal/index.ts';
import { findProgram } from './find-program.ts';
import { openPipe } from './libc.ts';
import type { Confinement } from './limits/confinement.ts';
import type { Gate } from './limits/gate.ts';
import { PipeReader } from './pipe-reader.ts';
import { adoptOrphans } from './processes/orphans.ts';
import { MARKER_VARIABLE, signalTree, type TreeIdentity } from './processes/process-tree.ts';
import { heldInSandbox } from './processes/sandbox-lineage.ts';
import { beginTag, endTag, spawnTagged } from './processes/session-tag.ts';
import { EntryDescriptors, type SandboxEntry } from './sandbox-entry.ts';
import type { TerminalExit } from './terminal.ts';

export interface PipedProgramOptions {
  argv: readonly string[];
  cwd: string;
  /** Of the program. The entry of a sandbox gets none of it. */
  env: Record<string, string>;
  /** Random value that marks every process of this program in its environment. */
  marker: string;
  stdin: 'pipe' | 'empty';
  /** The bytes are valid only during the call. */
  onOutput(stream: StreamName, bytes: Buffer): void;
  /** Further descriptors for the program, from 3 on; ours are closed. */
  descriptors?: readonly number[];
  /** Starts the program in a sandbox; its descriptors follow those of the program. */
  entry?: SandboxEntry | null;
  confinement?: Confinement | null;
}

/** A program on its own pipes, leader of its own session, whose output is read completely. */
export class PipedProgram {
  readonly pid: number;
  readonly tree: TreeIdentity;
  /** Its stdin; null if it has none. */
  readonly input: net.Socket | null;
  /** The program's own exit; output may still follow. */
  readonly exited: Promise<TerminalExit>;
  /** No process holds its output open any more, and everything was read. */
  readonly closed: Promise<void>;
  readonly #removeFatalHook: () => void;
  readonly #readers: Record<StreamName, PipeReader>;
  readonly #entry: EntryDescriptors | null;

  /** Resolves when the program is running. */
  static async start(options: PipedProgramOptions): Promise<PipedProgram> {
    adoptOrphans();
    const inherited = [...(options.descriptors ?? [])];
    const ours: number[] = [];
    let child: ChildProcess;
    let input: number | null = null;
    let gate: Gate | undefined;
    let entry: EntryDescriptors | null = null;
    try {
      const stdin = options.stdin === 'pipe' ? openPipe() : null;
      if (stdin) {
        inherited.push(stdin.read);
        ours.push(stdin.write);
        input = stdin.write;
      }
      const outputs = [openPipe(), openPipe()];
      for (const { read, write } of outputs) {
        inherited.push(write);
        ours.push(read);
      }
      const [program, ...rest] = [...(options.entry?.argv ?? []), ...options.argv];
      // A sandbox or gate that starts it would not report that it is missing.
      if (options.entry || options.confinement) refuseMissing(options);
      if (options.entry) entry = new EntryDescriptors(options.entry);
      inherited.push(...(entry?.passed ?? []));
      const passed = [...(options.descriptors ?? []), ...(entry?.passed ?? [])];
      gate = options.confinement?.gate([program!, ...rest], 3 + passed.length);
      if (gate) inherited.push(gate.descriptor);
      const [file, ...words] = gate?.argv ?? [program!, ...rest];
      const [stdout, stderr] = outputs.map(({ write }) => write);
      child = spawnTagged(options.marker, () =>
        spawn(file!, words, {
          cwd: options.cwd,
          env: { ...(entry ? {} : options.env), [MARKER_VARIABLE]: options.marker },
          stdio: [stdin?.read ?? 'ignore', stdout, stderr, ...passed, ...(gate ? [gate.descriptor] : [])],
          detached: true,
        }),
      );
      await started(child);
      if (gate) options.confinement!.admit(child.pid!, gate);
    } catch (cause) {
      gate?.close();
      entry?.close();
      for (const fd of ours) fs.closeSync(fd);
      throw startFailure(options, cause as Error);
    } finally {
      for (const fd of inherited) fs.closeSync(fd);
    }
    return new PipedProgram(options, { child, entry, input, outputs: ours.slice(-2) as [number, number] });
  }

  private constructor(options: PipedProgramOptions, { child, entry, input, outputs: [stdout, stderr] }: StartedParts) {
    this.#entry = entry;
    this.pid = child.pid!;
    this.tree = {
      leader: this.pid,
      leaderStartTime: readProcessStat(this.pid)?.startTime ?? '',
      marker: options.marker,
      exclusive: false,
      ...(options.entry ? heldInSandbox(() => this.pid) : {}),
    };
    beginTag(options.marker);
    this.#removeFatalHook = beforeFatalExit(() => signalTree(this.tree, 'SIGKILL'), { last: true });
    this.exited = new Promise((resolve) => {
      child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
    });
    this.input = input === null ? null : openInput(input);
    const ends: Promise<void>[] = [];
    const read = (stream: StreamName, fd: number): PipeReader => {
      let onEnd!: () => void;
      ends.push(new Promise((resolve) => (onEnd = resolve)));
      return new PipeReader({ fd, onBytes: (bytes) => options.onOutput(stream, bytes), onEnd });
    };
    this.#readers = { stdout: read('stdout', stdout), stderr: read('stderr', stderr) };
    this.closed = Promise.all(ends).then(() => {});
  }

  /** When this returns, everything written so far has been read. */
  drain(): void {
    for (const reader of Object.values(this.#readers)) reader.drain();
  }

  /** Of a program that has exited: its sandbox failed before it began. */
  hasFailedEntry(): boolean {
    return this.#entry?.hasFailed() ?? false;
  }

  pause(stream: StreamName): void {
    this.#readers[stream].pause();
  }

  resume(stream: StreamName): void {
    this.#readers[stream].resume();
  }

  /** Closes the pipes, even if a process still holds them. */
  close(): void {
    this.#removeFatalHook();
    this.#entry?.close();
    endTag(this.tree.marker);
    this.input?.destroy();
    this.drain();
    for (const reader of Object.values(this.#readers)) reader.destroy();
  }
}

interface StartedParts {
  child: ChildProcess;
  entry: EntryDescriptors | null;
  input: number | null;
  outputs: [number, number];
}

function started(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
}

function refuseMissing({ argv, env, cwd }: PipedProgramOptions): void {
  if (findProgram(argv[0]!, { env, cwd }) === null) throw new Error('there is no such program');
}

function openInput(fd: number): net.Socket {
  const input = new net.Socket({ fd, readable: false, writable: true });
  input.on('error', () => {}); // EPIPE: the program no longer reads.
  return input;
}

function startFailure({ argv }: PipedProgramOptions, cause: Error): Error {
  if (cause instanceof TachoError) return cause;
  return new TachoError('COMMAND_UNAVAILABLE', `${argv[0]} could not be started: ${cause.message}`, {
    facts: { program: argv[0] },
    cause,
  });
}
