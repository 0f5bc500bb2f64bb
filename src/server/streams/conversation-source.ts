import path from 'node:path';
import { isRegularFile } from '../../files/index.ts';
import type { Journal, JournalLine } from '../../journal/index.ts';
import { CONVERSATION_FILE, type FcmpMessage } from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';
import { readLastLine } from '../last-line.ts';
import type { EventSource } from './event-source.ts';
import { foldConversationTo } from './folded-conversation.ts';
import { NumberedLines } from './numbered-lines.ts';
import { parseLine } from './parse-line.ts';

const TERMINAL: ReadonlySet<string> = new Set([
  'conversation.completed',
  'conversation.failed',
  'conversation.canceled',
]);
const ENGINE_MEMBER = Buffer.from('"engine":"');
const TYPE_MEMBER = Buffer.from('","type":"');

/**
 * The conversation of a run: its file if the run has one, otherwise the same messages folded from its events into a
 * scratch file while there are readers.
 */
export async function conversationSource(
  folder: RunFolder,
  journal: Journal,
  scratchFolder: string,
): Promise<EventSource> {
  const kept = path.join(folder.audit, CONVERSATION_FILE);
  const fold = isRegularFile(kept) ? null : await foldConversationTo(scratchFolder, folder, journal);
  const lines = fold?.lines ?? new NumberedLines(kept);
  return {
    kind: 'chat_event',
    async head() {
      const bytes = await readLastLine(lines.path);
      if (bytes === null) return { seq: 0, terminal: false };
      const { seq } = parseLine(bytes) as FcmpMessage;
      return { seq, terminal: isTerminal({ seq, bytes }) };
    },
    // A run's own file is complete when its record says that the run has ended.
    caughtUp: async () => fold?.caughtUp(),
    read: (afterSeq, options) => lines.read(afterSeq, options),
    tail: (afterSeq, options) => (fold ?? lines).tail(afterSeq, options),
    typeOf: fcmpTypeOf,
    isTerminal,
    close: async () => fold?.close(),
  };
}

/** As in events, the type comes before anything that a program printed. */
function fcmpTypeOf({ bytes }: Pick<JournalLine, 'bytes'>): string {
  const at = bytes.indexOf(ENGINE_MEMBER);
  const member = at < 0 ? -1 : bytes.indexOf(TYPE_MEMBER, at);
  if (member < 0) return String((parseLine(bytes) as Partial<FcmpMessage>).type ?? '');
  const from = member + TYPE_MEMBER.length;
  return bytes.toString('latin1', from, bytes.indexOf('"', from));
}

function isTerminal(line: JournalLine): boolean {
  return TERMINAL.has(fcmpTypeOf(line));
}
