import type { FcmpMessage } from '../../protocol/index.ts';
import { type ChatSummary, type ChatView, createChatView } from '../chat/chat-view.ts';
import type { TimedMessage } from '../records/recorded-chat.ts';
import type { Film } from './film.ts';

/** Where a chat is shown. */
export interface ChatStage {
  readonly columns: number;
  /** A terminal, on which lines can be written again. */
  readonly rewrites: boolean;
  readonly colors: boolean;
  write(text: string): Promise<void>;
  /** Writes the end of a text on an empty screen. */
  redraw(text: string): Promise<void>;
  /** Sets the line below everything else. */
  status(line: string): Promise<void>;
  close(): Promise<void>;
}

export interface ChatFilmOptions {
  open(): AsyncIterable<TimedMessage>;
  stage: ChatStage;
  summary: ChatSummary;
}

/** A conversation, as `tacho run` shows it live. */
export function createChatFilm({ open, stage, summary }: ChatFilmOptions): Film {
  let messages = open()[Symbol.asyncIterator]();
  let next: TimedMessage | null | undefined;
  let last: TimedMessage | null = null;
  let waiting = '';
  let view = openView();

  function openView(): ChatView {
    return createChatView({
      write: (text) => {
        waiting += text;
      },
      get columns() {
        return stage.columns;
      },
      rewrites: stage.rewrites,
      colors: stage.colors,
    });
  }

  function take(): string {
    const text = waiting;
    waiting = '';
    return text;
  }

  async function peek(): Promise<TimedMessage | null> {
    if (next !== undefined) return next;
    const { value, done } = await messages.next();
    next = done ? null : (value as TimedMessage);
    return next;
  }

  /** All messages up to a time, which are then no longer to come. */
  async function takeUntil(timeMs: number): Promise<FcmpMessage[]> {
    const taken: FcmpMessage[] = [];
    for (let found = await peek(); found && found.timeMs <= timeMs; found = await peek()) {
      taken.push(found.message);
      last = found;
      next = undefined;
    }
    return taken;
  }

  /** The chat in one piece: live lines that were replaced meanwhile are not in it. */
  async function redraw(timeMs: number): Promise<void> {
    await messages.return?.();
    messages = open()[Symbol.asyncIterator]();
    next = undefined;
    last = null;
    waiting = '';
    view = openView();
    view.show(await takeUntil(timeMs));
    await stage.redraw(take());
  }

  return {
    peek: async () => (await peek())?.timeMs ?? null,
    async show() {
      const found = await peek();
      if (!found) return false;
      next = undefined;
      last = found;
      view.show([found.message]);
      const text = take();
      await stage.write(text);
      return text !== '';
    },
    async seek(timeMs) {
      if (stage.rewrites && last !== null) return await redraw(timeMs);
      view.show(await takeUntil(timeMs));
      await stage.write(take());
    },
    async tick(timeMs) {
      if (last === null || !stage.rewrites) return;
      view.tick(Date.parse(last.message.ts) + timeMs - last.timeMs);
      await stage.write(take());
    },
    status: (line) => stage.status(line),
    async finish() {
      view.finish(summary);
      await stage.write(take());
    },
    async close() {
      await messages.return?.();
      view.hold();
      await stage.write(take());
      await stage.close();
    },
  };
}
