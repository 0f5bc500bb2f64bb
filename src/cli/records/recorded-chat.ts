import type { Config } from '../../config/index.ts';
import { createConversation } from '../../conversation/index.ts';
import { asUnderstood, type FcmpMessage, type RaspEvent, type RunRecord } from '../../protocol/index.ts';
import { foldBatch, withWholeTexts } from '../../record/index.ts';
import { folderFiles, type RunFolder } from '../../recording/index.ts';
import { openJournal } from '../../runs/index.ts';
import type { ChatSummary } from '../chat/chat-view.ts';
import { createTimeline, type Frame } from '../replay/timeline.ts';
import { followLines } from './follow-lines.ts';

/** A message with its time: milliseconds since the first one. */
export interface TimedMessage extends Frame {
  message: FcmpMessage;
}

/** Shortens the wait for a user's answer. */
const BETWEEN_ATTEMPTS_MS = 2000;

/** The conversation, folded from a run's events, with whole texts; also works for a run without a stored conversation. */
export async function* readConversation(
  folder: RunFolder,
  config: Config,
  { attempt, follow = false }: { attempt?: number | undefined; follow?: boolean } = {},
): AsyncGenerator<FcmpMessage> {
  const fold = createConversation({ run_id: folder.runId });
  const journal = openJournal(folder, config);
  let seen = 0;
  const files = folderFiles(folder);
  async function* messagesOf(events: readonly RaspEvent[]): AsyncGenerator<FcmpMessage> {
    const messages = await foldBatch(fold, events, files);
    const wanted = messages.filter(({ meta }) => attempt === undefined || meta.attempt === attempt);
    for await (const part of withWholeTexts(files, wanted)) yield* part;
  }
  for await (const events of journal.read(folder.runId)) {
    seen = events.at(-1)?.seq ?? seen;
    yield* messagesOf(events);
  }
  if (!follow) return;
  for await (const lines of followLines(folder, journal, seen)) {
    const events = lines.map(({ bytes }) => asUnderstood(JSON.parse(bytes.toString()) as RaspEvent));
    yield* messagesOf(events);
  }
}

/** With gaps of at most `idleMs`, and short ones between attempts. */
export async function* withTimes(
  messages: AsyncIterable<FcmpMessage>,
  idleMs = Number.POSITIVE_INFINITY,
): AsyncGenerator<TimedMessage> {
  const timeline = createTimeline(idleMs);
  let startMs: number | null = null;
  let attempt: number | null = null;
  for await (const message of messages) {
    startMs ??= Date.parse(message.ts);
    const isNext = attempt !== null && message.meta.attempt > attempt;
    attempt = message.meta.attempt;
    const recordedMs = Date.parse(message.ts) - startMs;
    yield { recordedMs, timeMs: timeline.at(recordedMs, isNext ? BETWEEN_ATTEMPTS_MS : undefined), message };
  }
}

/** The closing line of the chat of an ended run. */
export function summaryOf(record: RunRecord): ChatSummary {
  const { engine, status, last, session_id, usage, handle, question } = record;
  return {
    engine,
    status,
    reason_code: last?.reason_code ?? '',
    durationMs: Date.parse(last?.ended_at ?? record.updated_at) - Date.parse(record.created_at),
    model: (typeof record.request === 'object' ? record.request.model : null) ?? null,
    session_id: session_id ?? null,
    usage: usage ?? null,
    handle,
    question: question ?? null,
  };
}
