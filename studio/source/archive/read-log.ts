import { checkedEvent, checkedMessage } from '../../../src/client/parse-events.ts';
import { createConversation } from '../../../src/conversation/index.ts';
import { CONVERSATION_FILE, EVENTS_FILE, type FcmpMessage, type RaspEvent } from '../../../src/protocol/index.ts';
import {
  type FileLine,
  foldBatch,
  linesOf,
  type RecordFile,
  type RecordFiles,
  withFile,
} from '../../../src/record/index.ts';
import type { FollowHandlers } from '../run-source.ts';

/** Where reading a log had to stop: the position of anything after such a line is uncertain. */
export interface BrokenLine {
  file: string;
  line: number;
  /** `incomplete`: the file ends in the middle of it. `newer`: its protocol is not known to this page. */
  why: 'incomplete' | 'unreadable' | 'newer';
  /** Number of lines before it, which are shown. */
  shown: number;
}

type Handlers = Pick<FollowHandlers, 'onEvents' | 'onMessages'> & { onBroken(broken: BrokenLine): void };

/** Reads both logs of a run to their ends. A run without a stored conversation has it folded from its events. */
export async function readLogs(
  files: RecordFiles,
  { onEvents, onMessages, onBroken }: Handlers,
  signal: AbortSignal,
): Promise<void> {
  const hasConversation = (await files.names()).includes(CONVERSATION_FILE);
  const fold = hasConversation ? null : createConversation({ run_id: files.runId });
  const takeEvents = async (batch: RaspEvent[]) => {
    onEvents(batch);
    const messages = fold === null ? [] : await foldBatch(fold, batch, files);
    if (messages.length > 0) onMessages(messages);
  };
  const read = async <T extends Numbered>(log: Log<T>) => {
    const broken = await withFile(files, log.file, async (file) => file && readLog(file, log, signal));
    if (broken) onBroken(broken);
  };
  await Promise.all([
    read<RaspEvent>({ file: EVENTS_FILE, parse: checkedEvent, onItems: takeEvents }),
    read<FcmpMessage>({ file: CONVERSATION_FILE, parse: checkedMessage, onItems: onMessages }),
  ]);
}

interface Numbered {
  seq: number;
  run_id: string;
}

interface Log<T> {
  file: string;
  parse(value: unknown, place: string): T;
  onItems(items: T[]): void | Promise<void>;
}

async function readLog<T extends Numbered>(
  content: RecordFile,
  log: Log<T>,
  signal: AbortSignal,
): Promise<BrokenLine | null> {
  const { file, parse, onItems } = log;
  const decoder = new TextDecoder();
  for await (const lines of linesOf(content)) {
    signal.throwIfAborted();
    const items: T[] = [];
    for (const line of lines) {
      const item = readLine(line, decoder, parse);
      if (typeof item !== 'string' && item.seq === line.line) {
        items.push(item);
        continue;
      }
      if (items.length > 0) await onItems(items);
      const why = typeof item === 'string' ? item : 'unreadable';
      return { file, line: line.line, why, shown: line.line - 1 };
    }
    if (items.length > 0) await onItems(items);
  }
  return null;
}

/** The content of a line, or why it has none. */
function readLine<T>(
  { bytes, complete }: FileLine,
  decoder: TextDecoder,
  parse: Log<T>['parse'],
): T | BrokenLine['why'] {
  if (!complete) return 'incomplete';
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
    return parse(value, 'archive');
  } catch {
    const version = (value as { protocol_version?: unknown } | null | undefined)?.protocol_version;
    return typeof version === 'string' && /^(rasp|fcmp)\/(?!1\.0$)\d+\.\d+$/.test(version) ? 'newer' : 'unreadable';
  }
}
