import { createDoneMarkerFilter, type DoneMarkerFilter, withoutDoneMarker } from '../../conversation/index.ts';
import type { FcmpMessage } from '../../protocol/index.ts';
import { createMarkdown, type Markdown } from './markdown.ts';
import type { OpenBlock, Page } from './page.ts';

export interface AssistantText {
  startAttempt(): void;
  delta(message: FcmpMessage<'assistant.message.delta'>): void;
  final(message: FcmpMessage<'assistant.message.final'>): void;
  /** True when this is the last text the assistant said. */
  saidLast(text: string): boolean;
}

interface Shown {
  /** The part of the message already passed to the page, as the engine wrote it but without the done marker. */
  source: string;
  filter: DoneMarkerFilter;
  ended: boolean;
  indent: number;
  markdown: Markdown;
  block: OpenBlock;
}

/** The assistant's messages: streamed where the engine streams, each text shown once. */
export function createAssistantText(page: Page, indentOf: (message: FcmpMessage) => number): AssistantText {
  const messages = new Map<string, Shown>();
  let last = '';

  function begin(indent: number): Shown {
    const { screen, colors } = page;
    const markdown = createMarkdown({ sink: screen, columns: () => screen.columns, colors, indent });
    const message: Shown = {
      source: '',
      filter: createDoneMarkerFilter(),
      ended: false,
      indent,
      markdown,
      block: { close },
    };
    function close(): void {
      if (!message.ended) push(message, message.filter.end());
      markdown.flush();
    }
    return message;
  }

  function push(message: Shown, text: string): void {
    message.markdown.push(text);
    message.source += text;
  }

  function show(message: Shown, text: string): void {
    // White space alone does not start a message: it may be left over from a hidden done marker.
    const opens = page.current !== message.block && text.trim() !== '';
    if (opens) page.open('text', message.block);
    push(message, text);
  }

  /** Some engines stream under one id and finish under another. */
  function findStreamed(id: string, text: string, indent: number): Shown | undefined {
    const known = messages.get(id);
    if (known) return known;
    return [...messages.values()].find(
      (message) => !message.ended && message.indent === indent && (restOf(text, message.source) ?? text) !== text,
    );
  }

  return {
    startAttempt: () => messages.clear(),

    delta(message) {
      const { message_id, text } = message.data;
      const known = messages.get(message_id) ?? begin(indentOf(message));
      messages.set(message_id, known);
      show(known, known.filter.push(text));
    },

    final(message) {
      const { message_id } = message.data;
      const text = withoutDoneMarker(message.data.text);
      const indent = indentOf(message);
      const streamed = findStreamed(message_id, text, indent);
      const rest = streamed ? restOf(text, streamed.source) : null;
      const shown = streamed && rest !== null ? streamed : begin(indent);
      shown.ended = true;
      show(shown, rest ?? text);
      messages.set(message_id, shown);
      if (page.current === shown.block || page.current === streamed?.block) page.close();
      last = text;
    },

    saidLast: (text) => last.trim() !== '' && last.trim() === withoutDoneMarker(text).trim(),
  };
}

/**
 * The part of the full text that was not streamed; null when it is a different text. Ignores white space at the edges.
 */
function restOf(text: string, streamed: string): string | null {
  if (text.startsWith(streamed)) return text.slice(streamed.length);
  const begun = streamed.trim();
  const whole = text.trimStart();
  return whole.startsWith(begun) ? whole.slice(begun.length) : null;
}
