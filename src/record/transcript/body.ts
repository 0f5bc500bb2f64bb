import { withoutDoneMarker } from '../../conversation/index.ts';
import { type FcmpMessage, type FcmpType, isEvent, type RaspEvent } from '../../protocol/index.ts';
import { cleanText, cutText } from './clean-text.ts';
import { createEndings } from './endings.ts';
import { folded, printedOutput, type ToolFacts, toolCall } from './folded.ts';
import { planList } from './plan-list.ts';
import { inlineMarkdown, safeMarkdown } from './safe-markdown.ts';

export interface TranscriptBody {
  /** Takes facts of an event that its message does not have. */
  note(event: RaspEvent): void;
  add(message: FcmpMessage): void;
  /** `start`: when the run began. */
  blocks(start: string | undefined): Generator<string>;
}

type Speaker = 'User' | 'tacho' | 'Assistant' | 'Output';
interface Block {
  speaker: Speaker;
  ts: string;
  /** Approximate number of characters. */
  size: number;
  /** Markdown; for a growing text rendered only once, at the end. */
  render(): string;
}
/** A text of the assistant that may still grow. */
interface Said {
  block: Block;
  source: string;
  ended: boolean;
}

const MESSAGE_LIMITS = { lines: 2000, characters: 100_000 };
const COMMAND_LIMITS = { lines: 10_000, characters: 500_000 };
const NOISE_LIMITS = { lines: 40, characters: 4000 };
/** For all blocks together. */
const MAX_CHARACTERS = 4_000_000;
const MAX_BLOCKS = 20_000;

export function createTranscriptBody(): TranscriptBody {
  const blocks: Block[] = [];
  const endings = createEndings();
  const tools = new Map<number, ToolFacts>();
  const given = new Map<string, unknown>();
  const calls = new Map<string, Block>();
  const said = new Map<string, Said>();
  let plan: Block | null = null;
  let printed: { block: Block; text: string } | null = null;
  let characters = 0;
  let isCut = false;
  let attempt = 0;
  let lastSaid = '';

  function put(speaker: Speaker, { ts }: FcmpMessage, markdown: string): Block {
    const block: Block = { speaker, ts, size: markdown.length, render: () => markdown };
    if (blocks.length >= MAX_BLOCKS || characters > MAX_CHARACTERS) isCut = true;
    else blocks.push(block);
    characters += block.size;
    printed = null;
    return block;
  }

  function replace(block: Block, size: number, render: () => string): void {
    characters += size - block.size;
    Object.assign(block, { size, render });
  }

  function quoted(text: string): string {
    return asMarkdown(text).replaceAll(/^/gm, '> ').replaceAll(/ +$/gm, '');
  }

  function say(message: FcmpMessage<'assistant.message.delta' | 'assistant.message.final'>, ended: boolean): void {
    const { message_id, text } = message.data;
    const known = said.get(message_id) ?? (ended ? streamedAs(text) : undefined);
    const source = ended ? text : ((known?.source ?? '') + text).slice(0, MESSAGE_LIMITS.characters + 1);
    const isInside = typeof message.correlation.parent === 'string';
    const block = known && !known.ended ? known.block : put('Assistant', message, '');
    replace(block, source.length, () => {
      const markdown = asMarkdown(source);
      return isInside && markdown !== '' ? folded('Sub-agent', markdown) : markdown;
    });
    said.set(message_id, { block, source, ended });
    if (ended) lastSaid = text;
  }

  /** Some engines stream under one id and conclude under another. */
  function streamedAs(text: string): Said | undefined {
    const begun = ({ source, ended }: Said) => !ended && source.trim() !== '' && text.trim().startsWith(source.trim());
    return [...said.values()].find(begun);
  }

  function print(message: FcmpMessage<'raw.stdout' | 'raw.stderr'>): void {
    const isCommand = message.engine === 'text' || message.engine === 'terminal';
    const limits = isCommand ? COMMAND_LIMITS : NOISE_LIMITS;
    const before = printed;
    const { unresolved } = message.data;
    const text = message.data.text + (unresolved ? `\n[The rest cannot be read: ${unresolved}.]\n` : '');
    const block = before?.block ?? put(isCommand ? 'Output' : 'Assistant', message, '');
    // Slightly more than is shown, so that the cut is detected.
    const all = `${before?.text ?? ''}${text}`.slice(0, limits.characters * 2);
    printed = { block, text: all };
    replace(block, Math.min(all.length, limits.characters), () => printedOutput(all, { limits, isFolded: !isCommand }));
  }

  const adding: { [T in FcmpType]?: (message: FcmpMessage<T>) => void } = {
    'user.message': (message) =>
      void put(message.data.by === 'tacho' ? 'tacho' : 'User', message, quoted(message.data.text)),
    'assistant.message.delta': (message) => say(message, false),
    'assistant.message.final': (message) => say(message, true),
    'assistant.reasoning': (message) => {
      const markdown = asMarkdown(message.data.text);
      if (markdown !== '') put('Assistant', message, folded('Thought', markdown));
    },
    'assistant.plan': (message) => {
      const markdown = planList(message.data.items);
      // The plan stays at its first position, with its final content.
      if (plan) replace(plan, markdown.length, () => markdown);
      else plan = put('Assistant', message, markdown);
    },
    'assistant.tool_call': (message) => {
      const { call_id, state } = message.data;
      const markdown = toolCall(message, tools.get(message.meta.rasp_seq) ?? {});
      tools.delete(message.meta.rasp_seq);
      const begun = calls.get(call_id);
      if (begun) replace(begun, markdown.length, () => markdown);
      const block = begun ?? put('Assistant', message, markdown);
      if (state === 'started') calls.set(call_id, block);
      else calls.delete(call_id);
    },
    'user.input.required': (message) => {
      const { prompt, questions = [] } = message.data;
      const options = message.data.options ?? questions.flatMap(({ choices }) => choices);
      const isKnown = prompt.trim() === '' || prompt.trim() === lastSaid.trim();
      const choices = options.slice(0, 100).map((option) => `- ${inlineMarkdown(cleanText(labelOf(option)))}`);
      const question = `**Question:** ${isKnown ? 'waiting for an answer' : asMarkdown(prompt)}`;
      put('Assistant', message, [question, ...(choices.length > 0 ? [choices.join('\n')] : [])].join('\n\n'));
    },
    'approval.required': (message) =>
      void put('Assistant', message, `**Approval needed:** ${inlineMarkdown(cleanText(message.data.summary))}`),
    'approval.decided': (message) =>
      void put('User', message, `**Approval:** ${inlineMarkdown(cleanText(message.data.decision))}`),
    'raw.stdout': print,
    'raw.stderr': print,
    'artifact.changed': endings.change,
    'diagnostic.warning': endings.warn,
    'conversation.failed': endings.fail,
  };

  return {
    note(event) {
      const ends = isEvent(event, 'tool.call.completed') || isEvent(event, 'tool.call.failed');
      if (isEvent(event, 'tool.call.started')) {
        given.set(event.data.call_id, event.data.arguments);
        tools.set(event.seq, { arguments: event.data.arguments });
      }
      if (!ends) return;
      const { call_id, arguments: own, result, exit_code } = event.data;
      tools.set(event.seq, { arguments: own ?? given.get(call_id), result, exit_code });
      given.delete(call_id);
    },
    add(message) {
      if (message.meta.attempt > attempt) {
        attempt = message.meta.attempt;
        said.clear();
        given.clear();
        calls.clear();
        plan = null;
      }
      // A conversation of a later version may have unknown types.
      const add = Object.hasOwn(adding, message.type) ? adding[message.type] : undefined;
      (add as ((message: FcmpMessage) => void) | undefined)?.(message);
    },
    *blocks(start) {
      yield* sections(blocks, start);
      if (isCut) yield '_The transcript is cut here: the run is longer than a transcript may be._';
      yield* endings.sections();
    },
  };
}

/** A heading whenever the speaker changes. */
function* sections(blocks: readonly Block[], start: string | undefined): Generator<string> {
  let speaker: Speaker | null = null;
  for (const block of blocks) {
    const markdown = block.render();
    if (markdown === '') continue;
    if (block.speaker !== speaker)
      yield `## ${block.speaker}${start === undefined ? '' : ` · ${elapsed(start, block.ts)}`}`;
    speaker = block.speaker;
    yield markdown;
  }
}

/** 0:07, 12:30, 1:02:03 after the start of the run. */
function elapsed(start: string, ts: string): string {
  const seconds = Math.max(0, Math.floor((Date.parse(ts) - Date.parse(start)) / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}

/** Text of a user or of the assistant. */
function asMarkdown(text: string): string {
  const { text: kept, note } = cutText(cleanText(withoutDoneMarker(text)), MESSAGE_LIMITS);
  return [safeMarkdown(kept), note].filter(Boolean).join('\n\n');
}

function labelOf(option: unknown): string {
  if (typeof option !== 'object' || option === null) return String(option);
  const { label, value, description } = option as Record<string, unknown>;
  const name = String(label ?? value ?? JSON.stringify(option));
  return typeof description === 'string' ? `${name} – ${description}` : name;
}
