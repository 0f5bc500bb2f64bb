import type { FcmpMessage } from '../../protocol/index.ts';
import { formatDuration } from '../figures.ts';
import { readable } from '../readable-value.ts';
import { cleanText, cutText, type TextLimits } from './clean-text.ts';
import { fenced, htmlText } from './safe-markdown.ts';

/** The arguments and the result of a tool call. */
export interface ToolFacts {
  arguments?: unknown;
  result?: unknown;
  exit_code?: number | null | undefined;
}

const SIGNS = { started: '⚙', completed: '✔', failed: '✖' } as const;
const TOOL_LIMITS: TextLimits = { lines: 100, characters: 10_000 };
/** Limit for a value before it is made readable: engines put whole files into one. */
const MAX_VALUE_LENGTH = 200_000;

/** Collapsible content. `content` is our own Markdown. */
export function folded(summary: string, content: string): string {
  return `<details><summary>${htmlText(summary)}</summary>\n\n${content}\n\n</details>`;
}

/** Output of a program. */
export function printedOutput(text: string, { limits, isFolded }: { limits: TextLimits; isFolded: boolean }): string {
  const { text: kept, note } = cutText(cleanText(text), limits);
  if (kept.trim() === '') return '';
  const content = [fenced(kept), note].filter(Boolean).join('\n\n');
  return isFolded ? folded('Other output', content) : content;
}

/** `✔ run: npm test (3.4 s)`, with its arguments and output inside. */
export function toolCall({ data, correlation }: FcmpMessage<'assistant.tool_call'>, facts: ToolFacts): string {
  const { name, summary, state, duration_ms } = data;
  const inside = typeof correlation.parent === 'string' ? '↳ ' : '';
  const what = summary === name || summary === '' ? name : `${name}: ${summary}`;
  const time = duration_ms === undefined ? '' : ` (${formatDuration(Math.max(0, duration_ms))})`;
  const exit = facts.exit_code ? ` · exit ${facts.exit_code}` : '';
  const saysAll = data.kind === 'command' && !summary.endsWith('…');
  const parts = [...(saysAll ? [] : part('Arguments', facts.arguments)), ...part('Result', facts.result)];
  const line = cleanText(`${inside}${SIGNS[state]} ${what}${time}${exit}`);
  return parts.length === 0
    ? folded(line, state === 'started' ? 'Its end was not reported.' : 'It reported no output.')
    : folded(line, parts.join('\n\n'));
}

function part(title: string, value: unknown): string[] {
  if (value === undefined || value === null || value === '') return [];
  const { text, note } = cutText(cleanText(readable(value).slice(0, MAX_VALUE_LENGTH)), TOOL_LIMITS);
  return text.trim() === '' ? [] : [`${title}:`, fenced(text), ...(note === '' ? [] : [note])];
}
