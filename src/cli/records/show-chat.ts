import { findRun, readShownRecord } from '../../recording/index.ts';
import { openChat } from '../chat/open-chat.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';
import { newerNoticeLine } from '../output/newer-notice.ts';
import { readConversation, summaryOf } from './recorded-chat.ts';

/** The conversation of a run so far. */
export async function showChat(selector: string, options: CommonOptions & { follow?: boolean }): Promise<void> {
  const context = openContext(options);
  const folder = findRun(context.home.runs, selector);
  const record = readShownRecord(folder);
  const chat = options.json ? null : openChat();
  process.stderr.write(newerNoticeLine(record));
  for await (const message of readConversation(folder, context.config, { follow: options.follow ?? false })) {
    if (chat) chat.show([message]);
    else process.stdout.write(`${JSON.stringify(message)}\n`);
  }
  chat?.finish(summaryOf(options.follow ? readShownRecord(folder) : record));
}
