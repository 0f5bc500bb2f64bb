import fs from 'node:fs';
import path from 'node:path';
import type { ReplyAnswer } from '../../protocol/index.ts';
import { appendAll, type RunFolder } from '../../recording/index.ts';

/** A reply that was accepted under a key; the text itself is in the events, and only with them does it count. */
export interface RememberedReply {
  key: string;
  /** Of what was replied to which question. */
  digest: string;
  answer: ReplyAnswer;
}

const FILE = 'replies.jsonl';
const LINE_FEED = 0x0a;

/** Keeps the answer, on disk before this returns. A line that a crash cut off is ended first, and stays unread. */
export function rememberReply(folder: RunFolder, reply: RememberedReply): void {
  const file = path.join(folder.audit, FILE);
  const before = readIfThere(file);
  const torn = before !== null && before.length > 0 && before.at(-1) !== LINE_FEED;
  const fd = fs.openSync(file, 'a', 0o600);
  try {
    appendAll(fd, [Buffer.from(`${torn ? '\n' : ''}${JSON.stringify(reply)}\n`)], file);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  if (before === null) syncFolder(folder.audit);
}

/** What was answered last under this key: there is a second one only where the first never got to the events. */
export function findReply(folder: RunFolder, key: string): RememberedReply | null {
  const text = readIfThere(path.join(folder.audit, FILE))?.toString() ?? '';
  // What follows the last line feed was never answered for.
  const replies = text.split('\n').slice(0, -1).map(parse);
  return replies.findLast((reply) => reply?.key === key) ?? null;
}

function parse(line: string): RememberedReply | null {
  try {
    return JSON.parse(line);
  } catch {
    return null; // Cut off by a crash.
  }
}

/** The few replies of one run. */
function readIfThere(file: string): Buffer | null {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** A new file's name is kept only with its folder. */
function syncFolder(folder: string): void {
  const fd = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
