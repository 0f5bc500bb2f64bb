import fs from 'node:fs';
import { isRegularFile, openRegularFile } from '../../files/index.ts';
import { MAX_LINE_BYTES } from '../../record/file-pieces.ts';
import { textOfLine } from './message-text.ts';

/** A part of a conversation whose text is searched as one. */
export interface TextPage {
  text: string;
  /** Where the next page begins, or the end of the lines read so far. */
  to: number;
  /** Of the last line read. */
  seq: number;
  /** Whether a further page begins there: this one will never change. */
  full: boolean;
}

/** Words of one query are found together within this many characters. */
const FULL_CHARACTERS = 32 * 1024;
/** Limits output between messages, which is not searched: a growing page is read again from its beginning. */
const FULL_BYTES = 1024 * 1024;
const READ_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/**
 * Reads the page that begins at byte `from` of `conversation.jsonl`, right after message `seq`. Page ends depend only
 * on the lines, not on the time of reading. Null when the file was replaced since the last read.
 */
export function readTextPage(file: string, from: number, seq: number): TextPage | null {
  const page: TextPage = { text: '', to: from, seq, full: false };
  const fd = openIfThere(file);
  if (fd === null) return from === 0 ? page : null;
  try {
    const texts: string[] = [];
    let characters = 0;
    for (const { bytes, to } of linesFrom(fd, from)) {
      const number = seqOf(bytes);
      if (from > 0 && page.to === from && number !== seq + 1) return null;
      page.to = to;
      page.seq = number ?? page.seq;
      const text = textOfLine(bytes);
      if (text !== null) {
        texts.push(text);
        characters += text.length;
      }
      page.full = characters >= FULL_CHARACTERS || to - from >= FULL_BYTES;
      if (page.full) break;
    }
    page.text = texts.join('\n');
    return page.to === from && from > fs.fstatSync(fd).size ? null : page;
  } finally {
    fs.closeSync(fd);
  }
}

/** Also null for a folder in its place: a conversation that could not be stored fails neither a run nor the index. */
function openIfThere(file: string): number | null {
  try {
    if (isRegularFile(file)) return openRegularFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error; // Removed in between.
  }
  return null;
}

/** Complete lines from an offset, one buffer in memory at a time. `bytes` is valid until the next line. */
function* linesFrom(fd: number, from: number): Generator<{ bytes: Buffer; to: number }> {
  let buffer = Buffer.allocUnsafe(READ_BYTES);
  let held = 0;
  let at = from;
  for (;;) {
    if (held === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
    const read = fs.readSync(fd, buffer, held, buffer.length - held, at + held);
    if (read === 0) return;
    let start = 0;
    const filled = buffer.subarray(0, held + read);
    for (let end = filled.indexOf(LINE_FEED, held); end !== -1; end = filled.indexOf(LINE_FEED, start)) {
      yield { bytes: filled.subarray(start, end), to: at + end + 1 };
      start = end + 1;
    }
    at += start;
    held = filled.length - start;
    if (held > MAX_LINE_BYTES) return;
    buffer.copyWithin(0, start, filled.length);
  }
}

const SEQ_MEMBER = Buffer.from('"seq":');
const HEAD_BYTES = 400;

function seqOf(line: Buffer): number | null {
  const head = line.subarray(0, HEAD_BYTES);
  const at = head.indexOf(SEQ_MEMBER);
  const seq = at < 0 ? Number.NaN : Number.parseInt(head.toString('latin1', at + SEQ_MEMBER.length, at + 24), 10);
  return Number.isSafeInteger(seq) ? seq : null;
}
