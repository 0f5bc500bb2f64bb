import { createConversation } from '../../conversation/index.ts';
import { findRun, readShownRecord } from '../../recording/index.ts';
import { openJournal } from '../../runs/index.ts';
import { openChat } from '../chat/open-chat.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';
import { newerNoticeLine } from '../output/newer-notice.ts';

/** The conversation of a run as far as it goes, folded from its events: also of one that was never kept as such. */
export async function showChat(selector: string, options: CommonOptions): Promise<void> {
  const context = openContext(options);
  const folder = findRun(context.home.runs, selector);
  const record = readShownRecord(folder);
  const fold = createConversation({ run_id: folder.runId });
  const chat = options.json ? null : openChat();
  process.stderr.write(newerNoticeLine(record));
  for await (const events of openJournal(folder, context.config).read(folder.runId)) {
    const messages = events.flatMap((event) => fold.push(event));
    if (chat) chat.show(messages);
    else for (const message of messages) process.stdout.write(`${JSON.stringify(message)}\n`);
  }
  chat?.finish({
    engine: record.engine,
    status: record.status,
    reason_code: record.last?.reason_code ?? '',
    durationMs: Date.parse(record.last?.ended_at ?? record.updated_at) - Date.parse(record.created_at),
    model: null,
    session_id: record.session_id ?? null,
    usage: null,
    handle: record.handle,
    question: null,
  });
}
