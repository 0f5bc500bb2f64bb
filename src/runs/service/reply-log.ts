import fs from 'node:fs';
import path from 'node:path';
import type { ReplyAnswer } from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';

/** One accepted reply; the text itself is in the events. */
interface RememberedReply {
  key: string | null;
  /** Of what was replied to which question. */
  digest: string;
  answer: ReplyAnswer;
}

const FILE = 'replies.jsonl';

/** Durable before anybody hears that the reply was accepted. */
export function rememberReply(folder: RunFolder, reply: RememberedReply): void {
  const fd = fs.openSync(path.join(folder.audit, FILE), 'a', 0o600);
  try {
    fs.writeSync(fd, `${JSON.stringify(reply)}\n`);
    fs.fdatasyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

export function findReply(folder: RunFolder, key: string): RememberedReply | null {
  let text: string;
  try {
    text = fs.readFileSync(path.join(folder.audit, FILE), 'utf8');
  } catch {
    return null; // Nobody has replied yet.
  }
  // A last line that a crash cut off was never answered for.
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as RememberedReply).find((reply) => reply.key === key) ?? null;
}
