import { decodeCString } from './c-string.ts';
import { type Descriptor, readDescriptor } from './call-arguments.ts';
import type { CallResult } from './strace-line.ts';
import type { TraceCall } from './trace-reader.ts';
import type { TracedStream } from './traced-stream.ts';

/** What descriptors share after one was duplicated from another. */
export interface OpenFile {
  /** The stream of every descriptor of this file, once it is known. */
  stream: TracedStream | null;
  /** True for a file that is also the terminal's input: it then belongs to no single stream. */
  isInput: boolean;
  isTerminal: boolean;
  /** True for a file that the first process was started with: the recorded terminal itself. */
  isInherited: boolean;
}

interface Slot {
  file: OpenFile;
  /** The stream of this number alone, if several share the file. */
  stream: TracedStream | null;
  closesOnExec: boolean;
}

/**
 * The meaning of each number in one process. Descriptor 1 of the first process is stdout and 2 is stderr, although they
 * are the same terminal; another number gets a stream by being duplicated from or onto one of them. So a program that
 * opens the terminal again and duplicates that onto 2 has a second name for stderr.
 */
export class DescriptorTable {
  readonly #slots: Map<number, Slot>;

  private constructor(slots: Map<number, Slot>) {
    this.#slots = slots;
  }

  /** The descriptors that a program is started with, unless the trace shows otherwise. */
  static standard({ isFirst }: { isFirst: boolean }): DescriptorTable {
    const file = (isInput: boolean): OpenFile => ({ stream: null, isInput, isTerminal: true, isInherited: isFirst });
    return new DescriptorTable(
      new Map([
        [0, { file: file(true), stream: null, closesOnExec: false }],
        [1, { file: file(false), stream: 'stdout', closesOnExec: false }],
        [2, { file: file(false), stream: 'stderr', closesOnExec: false }],
      ]),
    );
  }

  /** What a child gets: the same files under the same numbers, independent from then on. */
  copy(): DescriptorTable {
    return new DescriptorTable(new Map([...this.#slots].map(([fd, slot]) => [fd, { ...slot }])));
  }

  /** The file currently behind a number; created if the trace did not show its origin. */
  fileOf(descriptor: Descriptor): OpenFile {
    return this.#slot(descriptor).file;
  }

  streamOf(fd: number): TracedStream | null {
    const slot = this.#slots.get(fd);
    return slot ? (slot.stream ?? slot.file.stream) : null;
  }

  /** Applies one of the descriptor calls after it returned. */
  apply(call: TraceCall, result: CallResult): void {
    if (result.value === null || result.value < 0) return;
    const first = readDescriptor(call.args[0]);
    switch (call.name) {
      case 'open':
      case 'openat':
      case 'openat2':
        this.#open(call, result);
        return;
      case 'dup':
      case 'dup2':
      case 'dup3':
        if (first) this.#duplicate(first, result.value, call.args[2]?.includes('O_CLOEXEC') ?? false);
        return;
      case 'fcntl':
      case 'fcntl64':
        if (!first) return;
        if (call.args[1] === 'F_DUPFD') this.#duplicate(first, result.value, false);
        if (call.args[1] === 'F_DUPFD_CLOEXEC') this.#duplicate(first, result.value, true);
        if (call.args[1] === 'F_SETFD') {
          const slot = this.#slots.get(first.fd);
          if (slot) slot.closesOnExec = call.args[2]?.includes('FD_CLOEXEC') ?? false;
        }
        return;
      case 'close':
        if (first) this.#slots.delete(first.fd);
        return;
      case 'close_range':
        this.#closeRange(
          first?.fd ?? 0,
          readDescriptor(call.args[1])?.fd ?? Number.POSITIVE_INFINITY,
          call.args[2] ?? '',
        );
        return;
    }
  }

  /** The program was replaced: close-on-exec descriptors are closed. */
  exec(): void {
    for (const [fd, slot] of this.#slots) if (slot.closesOnExec) this.#slots.delete(fd);
  }

  #slot({ fd, path }: Descriptor): Slot {
    const known = this.#slots.get(fd);
    if (known) {
      if (path !== null) known.file.isTerminal = isTerminalPath(path);
      return known;
    }
    const slot: Slot = { file: newFile(path), stream: null, closesOnExec: false };
    this.#slots.set(fd, slot);
    return slot;
  }

  #open(call: TraceCall, result: CallResult): void {
    const pathAt = call.name === 'open' ? 0 : 1;
    const shown = readDescriptor(result.text)?.path ?? null;
    const asked = call.args[pathAt]?.startsWith('"') ? decodeCString(call.args[pathAt].slice(1, -1)).toString() : null;
    const closesOnExec = call.args[pathAt + 1]?.includes('O_CLOEXEC') ?? false;
    this.#slots.set(result.value as number, { file: newFile(shown ?? asked), stream: null, closesOnExec });
  }

  #duplicate(from: Descriptor, to: number, closesOnExec: boolean): void {
    if (from.fd === to) return;
    const source = this.#slot(from);
    const before = this.streamOf(to) ?? (to === 1 ? 'stdout' : to === 2 ? 'stderr' : null);
    const { file } = source;
    if (to === 0) file.isInput = true;
    let stream = source.stream ?? file.stream;
    if (stream === null && before !== null && file.isTerminal) {
      // One file duplicated onto 0, 1 and 2 in turn means that a new terminal is being set up: each number keeps its
      // own meaning.
      if (file.isInput) stream = before;
      else file.stream = before;
    }
    this.#slots.set(to, { file, stream, closesOnExec });
  }

  #closeRange(first: number, last: number, flags: string): void {
    for (const [fd, slot] of this.#slots) {
      if (fd < first || fd > last) continue;
      if (flags.includes('CLOSE_RANGE_CLOEXEC')) slot.closesOnExec = true;
      else this.#slots.delete(fd);
    }
  }
}

/** A pseudo-terminal, or the name by which a process opens its controlling one. */
export function isTerminalPath(path: string): boolean {
  return path === '/dev/tty' || /^\/dev\/pts\/\d+$/.test(path);
}

function newFile(path: string | null): OpenFile {
  return { stream: null, isInput: false, isTerminal: path !== null && isTerminalPath(path), isInherited: false };
}
