import type { ByteSource } from '../byte-source.ts';
import { dateOf, sizeOf, type TerminalHeader } from './terminal-moment.ts';

const HEADER = /^Script started on ([^[\n]*?)\s*(?:\[(.*)\])?\n/;
const TRAILER = /\n?Script done on ([^[\n]*?)\s*(?:\[(.*)\])?\n?$/;
/** A trailer is a short line; this many bytes at the end may be one. */
const TRAILER_BYTES = 4096;

export interface ScriptHeader {
  header: TerminalHeader;
  /** Bytes before the output. */
  length: number;
}

/** The first line that `script` writes into a log; null for a log without one. */
export function readScriptHeader(head: Buffer): ScriptHeader | null {
  const found = HEADER.exec(head.subarray(0, 64 * 1024).toString('latin1'));
  if (!found) return null;
  const facts = factsOf(Buffer.from(found[2] ?? '', 'latin1').toString('utf8'));
  return {
    length: found[0].length,
    header: {
      startedAt: parseDate(found[1]!),
      command: facts.COMMAND ?? null,
      term: /^[\w.+-]{1,64}$/.test(facts.TERM ?? '') ? facts.TERM! : 'dumb',
      cols: sizeOf(Number(facts.COLUMNS)) ?? 0,
      rows: sizeOf(Number(facts.LINES)) ?? 0,
    },
  };
}

interface ScriptTrailer {
  length: number;
  endedAt: number | null;
  exitCode: number | null;
}

/** The last line that `script` writes; null if the log was cut off, or `script` was killed. */
function readScriptTrailer(tail: Buffer): ScriptTrailer | null {
  const text = tail.toString('latin1');
  const found = TRAILER.exec(text);
  if (!found) return null;
  const code = factsOf(found[2] ?? '').COMMAND_EXIT_CODE;
  return {
    length: found[0].length,
    endedAt: parseDate(found[1]!),
    exitCode: /^\d{1,3}$/.test(code ?? '') ? Number(code) : null,
  };
}

/** `COMMAND="ls" TERM="xterm"`; a value ends at a quote before another name, a remark or the end. */
function factsOf(text: string): Record<string, string | undefined> {
  const facts: Record<string, string> = {};
  for (const [, name, value] of text.matchAll(/([A-Z_]+)="(.*?)"(?=\s+[A-Z_]+="|\s+<|$)/g)) facts[name!] = value!;
  return facts;
}

function parseDate(text: string): number | null {
  const time = Date.parse(
    text.replace(/([+-]\d\d)(\d\d)?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`),
  );
  return dateOf(time);
}

/** The output in a log of `script`, without the lines that `script` adds. */
export class ScriptContent {
  readonly #source: ByteSource;
  readonly #headerBytes: number;
  /** Known after all pieces were read. */
  trailer: ScriptTrailer | null = null;

  constructor(source: ByteSource, headerBytes: number) {
    this.#source = source;
    this.#headerBytes = headerBytes;
  }

  *pieces(): Generator<Buffer> {
    let toSkip = this.#headerBytes;
    // What may be the last line is held back.
    let held: Buffer = Buffer.alloc(0);
    for (const piece of this.#source.pieces()) {
      const skipped = Math.min(toSkip, piece.length);
      toSkip -= skipped;
      held = Buffer.concat([held, piece.subarray(skipped)]);
      if (held.length <= TRAILER_BYTES) continue;
      yield held.subarray(0, held.length - TRAILER_BYTES);
      held = held.subarray(held.length - TRAILER_BYTES);
    }
    this.trailer = readScriptTrailer(held);
    const content = held.subarray(0, held.length - (this.trailer?.length ?? 0));
    if (content.length > 0) yield content;
  }
}
