import path from 'node:path';
import type { Journal, JournalLine } from '../../journal/index.ts';
import { EVENTS_FILE, hasEnded, type RaspEvent } from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';
import { readLastLine } from '../last-line.ts';
import type { EventSource, Head } from './event-source.ts';
import { parseLine } from './parse-line.ts';

const STATUS = 'lifecycle.run.status';
const EVENT_MEMBER = Buffer.from('"event":{"category":"');
const TYPE_MEMBER = Buffer.from('","type":"');

/** The events of the journal. */
export function raspSource(folder: RunFolder, journal: Journal): EventSource {
  const run = folder.runId;
  return {
    kind: 'run_event',
    head: () => journalHead(folder),
    caughtUp: async () => {},
    read: (afterSeq, options) => journal.readLines(run, { afterSeq }, options),
    tail: (afterSeq, options) => journal.tailLines(run, afterSeq, options),
    typeOf: raspTypeOf,
    isTerminal,
    close: async () => {},
  };
}

export async function journalHead(folder: RunFolder): Promise<Head> {
  const bytes = await readLastLine(path.join(folder.audit, EVENTS_FILE));
  if (bytes === null) return { seq: 0, terminal: false };
  const { seq } = parseLine(bytes) as RaspEvent;
  return { seq, terminal: isTerminal({ seq, bytes }) };
}

/**
 * Finds the type in a line without parsing it. Members have a fixed order, with the type before anything that a program
 * printed; a line in another order is parsed.
 */
export function raspTypeOf({ bytes }: Pick<JournalLine, 'bytes'>): string {
  const at = bytes.indexOf(EVENT_MEMBER);
  const member = at < 0 ? -1 : bytes.indexOf(TYPE_MEMBER, at);
  if (member < 0) return String((parseLine(bytes) as Partial<RaspEvent>).event?.type ?? '');
  const from = member + TYPE_MEMBER.length;
  return bytes.toString('latin1', from, bytes.indexOf('"', from));
}

function isTerminal(line: JournalLine): boolean {
  if (raspTypeOf(line) !== STATUS) return false;
  return hasEnded((parseLine(line.bytes) as RaspEvent<typeof STATUS>).data);
}
