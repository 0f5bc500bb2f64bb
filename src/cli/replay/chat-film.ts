import type { FcmpMessage } from '../../protocol/index.ts';
import { type ChatSummary, type ChatView, createChatView } from '../chat/chat-view.ts';
import type { TimedMessage } from '../records/recorded-chat.ts';
import type { Film } from './film.ts';

/** A destination for a chat. */
export interface ChatStage {
  readonly columns: number;
  /** True for a terminal that can rewrite lines. */
  readonly rewrites: boolean;
  readonly colors: boolean;
  write(text: string): Promise<void>;
  /** Clears the screen and writes the end of a text. */
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

/** A conversation, shown as in a live `tacho run`. */
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

  /** Removes and returns all messages up to a time. */
  async function takeUntil(timeMs: number): Promise<FcmpMessage[]> {
    const taken: FcmpMessage[] = [];
    for (let found = await peek(); found && found.timeMs <= timeMs; found = await peek()) {
      taken.push(found.message);
      last = found;
      next = undefined;
    }
    return taken;
  }

  /** Redraws the whole chat, without live lines that were replaced meanwhile. */
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
