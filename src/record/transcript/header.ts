import { withoutDoneMarker } from '../../conversation/index.ts';
import type { RunState } from '../../protocol/index.ts';
import { formatDuration, usageFacts } from '../figures.ts';
import { commandLine } from '../printable.ts';
import { firstRequest } from '../run-view.ts';
import { cleanText } from './clean-text.ts';
import { codeSpan, inlineMarkdown } from './safe-markdown.ts';

const MAX_TITLE_LENGTH = 120;

/** The request and the outcome. */
export function transcriptHeader(state: RunState, model: string | null): string {
  const request = firstRequest(state);
  const { created_at, last, attempt } = state;
  const ended = last?.ended_at;
  const facts: [string, string][] = [
    ['Result', resultOf(state)],
    ['Engine', state.engine === 'text' ? '' : codeSpan(state.engine)],
    ['Model', model === null ? '' : codeSpan(cleanText(model))],
    ['Started', timeOf(created_at)],
    ['Ended', ended === undefined ? '' : timeOf(ended)],
    ['Duration', ended === undefined ? '' : formatDuration(Math.max(0, Date.parse(ended) - Date.parse(created_at)))],
    ['Attempts', attempt > 1 ? String(attempt) : ''],
    [
      'Usage',
      usageFacts(state.usage ?? null)
        .filter(Boolean)
        .join(', '),
    ],
    ['Folder', state.cwd === '' ? '' : codeSpan(cleanText(state.cwd))],
    ['Run', codeSpan(state.run_id)],
  ];
  const lines = facts.filter(([, value]) => value !== '').map(([name, value]) => `- **${name}:** ${value}`);
  return `# ${request === null ? codeSpan(cut(commandLine(state.command))) : titleOf(request)}\n\n${lines.join('\n')}`;
}

function titleOf(request: string): string {
  const line = cleanText(withoutDoneMarker(request)).trim().split('\n', 1)[0]!;
  return inlineMarkdown(cut(line)) || 'Run';
}

function cut(text: string): string {
  return text.length > MAX_TITLE_LENGTH ? `${text.slice(0, MAX_TITLE_LENGTH).trimEnd()}…` : text;
}

function resultOf({ status, last }: RunState): string {
  if (last === null) return status;
  const exit = last.signal === null ? `exit ${last.exit_code ?? 'unknown'}` : `killed by ${last.signal}`;
  return `${status}, ${exit} (${codeSpan(last.reason_code)})`;
}

/** 2026-11-15 08:30:12 UTC: the same for every reader. */
function timeOf(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}
