import type { Config } from '../../config/index.ts';
import type { FcmpMessage, RunRecord } from '../../protocol/index.ts';
import { asciicast, type Moment, type RunFolder } from '../../recording/index.ts';
import { openJournal, readTranscript } from '../../runs/index.ts';
import { createChatView } from '../chat/chat-view.ts';
import { commandLine } from '../output/format.ts';
import { readConversation, summaryOf, withTimes } from './recorded-chat.ts';

/** Size of the terminal that chats are drawn for. */
const COLUMNS = 80;
const ROWS = 24;

export interface ExportedRun {
  folder: RunFolder;
  record: RunRecord;
  config: Config;
  /** Only this attempt; all if undefined. */
  attempt: number | undefined;
}

/** A readable transcript in Markdown. */
export async function* markdownTranscript({ folder, config, attempt }: ExportedRun): AsyncGenerator<string> {
  yield* await readTranscript(folder, openJournal(folder, config), attempt);
}

/** The conversation as a chat without colours. */
export async function* chatText({ folder, record, config, attempt }: ExportedRun): AsyncGenerator<string> {
  const chat = drawnChat({ colors: false });
  for await (const message of readConversation(folder, config, { attempt })) yield chat.show(message);
  yield chat.finish(record);
}

/** The conversation as an asciicast, for asciinema. */
export async function* chatAsciicast(run: ExportedRun): AsyncGenerator<string> {
  const { folder, record, config, attempt } = run;
  const chat = drawnChat({ colors: true });
  const moments: Moment[] = [];
  let last = 0;
  const add = (timeMs: number, text: string) => {
    last = timeMs;
    if (text !== '') moments.push({ kind: 'output', side: 'a', time: timeMs * 1000, bytes: Buffer.from(text) });
  };
  for await (const { timeMs, message } of withTimes(readConversation(folder, config, { attempt }))) {
    add(timeMs, chat.show(message));
  }
  add(last, chat.finish(record));
  const header = {
    startedAt: new Date(record.created_at),
    command: commandLine(record.command),
    term: 'xterm-256color',
    cols: COLUMNS,
    rows: ROWS,
  };
  yield* asciicast(moments, { header, title: folder.runId, addCarriageReturn: true });
}

/** Returns the text that each message appends to the chat. */
function drawnChat({ colors }: { colors: boolean }) {
  let waiting = '';
  const write = (text: string) => {
    waiting += text;
  };
  const view = createChatView({ write, columns: COLUMNS, rewrites: false, colors });
  const take = () => {
    const text = waiting;
    waiting = '';
    return text;
  };
  return {
    show(message: FcmpMessage): string {
      view.show([message]);
      return take();
    },
    finish(record: RunRecord): string {
      view.finish(summaryOf(record));
      return take();
    },
  };
}
