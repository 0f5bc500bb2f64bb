import type { FcmpMessage, RaspEvent } from '../protocol/index.ts';
import { type RecordFiles, withWholeTexts } from '../record/index.ts';
import type { JournalLine } from './journal.ts';

const MEMBER = Buffer.from('"truncated":true');

/**
 * Lines of events or messages, with the whole text of output of which they have the beginning only. Others stay as they
 * are.
 */
export async function* fullLines(
  batches: AsyncIterable<JournalLine[]>,
  files: RecordFiles,
): AsyncGenerator<JournalLine[], void, undefined> {
  for await (const lines of batches) {
    const items = lines.map((line) => (line.bytes.includes(MEMBER) ? parsed(line) : null));
    let at = 0;
    for await (const part of withWholeTexts(files, items)) {
      yield part.map((item) => {
        const line = lines[at]!;
        return item === items[at++] ? line : { seq: line.seq, bytes: Buffer.from(JSON.stringify(item)) };
      });
    }
  }
}

/** A damaged line is left to its reader. */
function parsed({ bytes }: JournalLine): RaspEvent | FcmpMessage | null {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return null;
  }
}
