import type { FileHandle } from 'node:fs/promises';
import { createYielder, openRegularHandle } from '../../files/index.ts';
import { genesisChain, nodeSha256 } from '../../journal/index.ts';
import { AGENT_VERSION, type AgentEvent, type AgentEventType, agentEventDataSchemas } from '../../protocol/index.ts';
import { readLeniently } from '../../protocol/read-leniently.ts';
import { endsWithChain, MEMBER_LENGTH, recomputedChain } from '../../record/chain.ts';
import { MAX_LINE_BYTES } from '../../record/file-pieces.ts';
import { lineStartOf, readLineHead } from '../../record/line-head.ts';
import { checkRunFolder, type RunPaths } from '../wal/run-folder.ts';

const PIECE_BYTES = 256 * 1024;
/** More than the head of a line and its type take. */
const HEAD_BYTES = 512;
/** Bytes before the position that must not have changed. */
const GUARD_BYTES = 1024;
const LINE_FEED = 0x0a;
const DELTA = Buffer.from('"type":"llm_response_delta"');

/** Where a line is in the log. */
export interface LinePlace {
  byteFrom: number;
  byteTo: number;
}

/** What is wrong with a log. Nothing after it is read. */
export interface LogProblem {
  message: string;
  line: number | null;
}

export interface LogReader {
  /** The file is another one than before: everything that was read does not count any more. */
  restart(): void;
  /** An intact event. Throws if it cannot follow the ones before. */
  event(event: AgentEvent, place: LinePlace): void;
  /** An event whose content is not needed: a piece of a response. */
  skipped(seq: number, ts: string): void;
  /** Whether there is no room for more. */
  readonly isFull: boolean;
}

/**
 * Reads the log of an agent as it grows, each line once, in slices that let other work go on. The workspace may have put
 * anything there: links are not followed, every line has to continue the chain, and data has to have the shape of its
 * event. The first line that does not is a problem with a name, and the end.
 */
export class LogLines {
  readonly #workspaceRoot: string;
  readonly #paths: RunPaths;
  readonly #lineStart: Uint8Array;
  #identity: string | null = null;
  #stamp = '';
  #position = 0;
  #guard: Buffer = Buffer.alloc(0);
  #chain = '';
  #line = 0;
  problem: LogProblem | null = null;

  constructor(workspaceRoot: string, paths: RunPaths) {
    this.#workspaceRoot = workspaceRoot;
    this.#paths = paths;
    this.#lineStart = lineStartOf(paths.runId, AGENT_VERSION);
  }

  /** Passes on what is new. Throws RUN_NOT_FOUND if there is no log. */
  async read(reader: LogReader): Promise<void> {
    checkRunFolder(this.#workspaceRoot, this.#paths);
    const handle = await openRegularHandle(this.#paths.log);
    try {
      const { dev, ino, size, mtimeNs } = await handle.stat({ bigint: true });
      const [identity, stamp] = [`${dev}.${ino}`, `${size}.${mtimeNs}`];
      const isOther = this.#identity !== identity || !(await this.#isIntact(handle, Number(size)));
      if (isOther) this.#restart(reader);
      this.#identity = identity;
      if (stamp === this.#stamp || this.problem) return;
      await this.#readFrom(handle, Number(size), reader);
      this.#stamp = stamp;
    } finally {
      await handle.close();
    }
  }

  #restart(reader: LogReader): void {
    this.#position = 0;
    this.#line = 0;
    this.#stamp = '';
    this.#guard = Buffer.alloc(0);
    this.#chain = genesisChain(this.#paths.runId);
    this.problem = null;
    reader.restart();
  }

  async #isIntact(handle: FileHandle, size: number): Promise<boolean> {
    if (size < this.#position) return false;
    const { length } = this.#guard;
    return (await bytesAt(handle, this.#position - length, length)).equals(this.#guard);
  }

  async #readFrom(handle: FileHandle, size: number, reader: LogReader): Promise<void> {
    const pause = createYielder();
    for (let length = PIECE_BYTES; this.#position < size && !this.problem; ) {
      const piece = await bytesAt(handle, this.#position, Math.min(length, size - this.#position));
      if (piece.length === 0) return;
      const end = piece.lastIndexOf(LINE_FEED) + 1;
      if (end === 0) {
        if (piece.length >= MAX_LINE_BYTES) this.problem = { message: 'the line is too long', line: this.#line + 1 };
        // The writer may be in the middle of a line.
        if (this.#position + piece.length >= size) return;
        length *= 2;
        continue;
      }
      length = PIECE_BYTES;
      for (let from = 0; from < end && !this.problem; ) {
        const to = piece.indexOf(LINE_FEED, from);
        this.#take(piece.subarray(from, to), this.#position + from, reader);
        from = to + 1;
        await pause();
      }
      this.#position += end;
      this.#guard = Buffer.from(piece.subarray(Math.max(0, end - GUARD_BYTES), end));
    }
  }

  #take(bytes: Buffer, byteFrom: number, reader: LogReader): void {
    const line = this.#line + 1;
    if (reader.isFull) {
      this.problem = { message: `the log is too long to be shown: this is what comes before line ${line}`, line };
      return;
    }
    const message = this.#passOn(bytes, byteFrom, reader);
    if (message === null) this.#line = line;
    else this.problem = { message, line };
  }

  /** What is wrong with the line, or null. */
  #passOn(bytes: Buffer, byteFrom: number, reader: LogReader): string | null {
    const chain = bytes.length > MEMBER_LENGTH ? recomputedChain(this.#chain, bytes, nodeSha256) : '';
    if (chain === '' || !endsWithChain(bytes, chain)) return 'the line does not continue the chain of the log';
    const head = readLineHead(bytes, this.#lineStart);
    if (head?.seq !== this.#line + 1) return `event ${this.#line + 1} is missing`;
    this.#chain = chain;
    if (bytes.subarray(0, HEAD_BYTES).includes(DELTA)) {
      reader.skipped(head.seq, head.ts);
      return null;
    }
    const event = parsedEvent(bytes, this.#paths.runId);
    if (typeof event === 'string') return event;
    if (event === null) {
      // Of a newer version.
      reader.skipped(head.seq, head.ts);
      return null;
    }
    try {
      reader.event(event, { byteFrom, byteTo: byteFrom + bytes.length });
      return null;
    } catch (error) {
      return `the event does not follow from the ones before it: ${(error as Error).message}`;
    }
  }
}

/** Null for an event of an unknown type; a text says what is wrong. */
export function parsedEvent(bytes: Buffer, runId: string): AgentEvent | null | string {
  let value: Partial<AgentEvent> | null;
  try {
    value = JSON.parse(bytes.toString()) as Partial<AgentEvent> | null;
  } catch {
    return 'the line is not JSON';
  }
  if (value?.protocol_version !== AGENT_VERSION) return `the version of the event is ${value?.protocol_version}`;
  if (value.run_id !== runId) return 'the event is one of another run';
  const { type, ts, data } = value;
  if (typeof ts !== 'string' || Number.isNaN(Date.parse(ts))) return 'the event has no time';
  if (!isKnown(type)) return null;
  const read = readLeniently(agentEventDataSchemas[type] as never, data);
  if (read.success) return { ...value, data: read.data } as AgentEvent;
  const { path, message } = read.error.issues[0]!;
  return `${type}.${path.join('.')}: ${message}`;
}

function isKnown(type: unknown): type is AgentEventType {
  return typeof type === 'string' && Object.hasOwn(agentEventDataSchemas, type);
}

/** Empty at the end of the file. */
export async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  if (length <= 0) return Buffer.alloc(0);
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
