import type { FcmpMessage } from '../../protocol/index.ts';
import { cleanText } from './clean-text.ts';
import { codeSpan, inlineMarkdown } from './safe-markdown.ts';

type Change = FcmpMessage<'artifact.changed'>['data']['change'];

/** The end of a transcript: files, and errors. */
export interface Endings {
  change(message: FcmpMessage<'artifact.changed'>): void;
  warn(message: FcmpMessage<'diagnostic.warning'>): void;
  fail(message: FcmpMessage<'conversation.failed'>): void;
  sections(): string[];
}

const MAX_FILES = 500;
const MAX_WARNINGS = 100;
const MAX_WARNING_LENGTH = 500;

export function createEndings(): Endings {
  const files = new Map<string, Change>();
  const warnings = new Map<string, number>();

  function note(code: string, message: string): void {
    const said = cleanText(message).slice(0, MAX_WARNING_LENGTH);
    const key = `${codeSpan(cleanText(code))} ${inlineMarkdown(said)}`;
    if (warnings.has(key) || warnings.size <= MAX_WARNINGS) warnings.set(key, (warnings.get(key) ?? 0) + 1);
  }

  return {
    change({ data: { path, change } }) {
      const before = files.get(path);
      if (before === 'created' && change === 'deleted') files.delete(path);
      else files.set(path, before === 'created' ? before : before === 'deleted' ? 'modified' : change);
    },
    warn({ data: { code, message, severity } }) {
      if (severity !== 'info') note(code, message);
    },
    fail({ data: { error } }) {
      const said = inlineMarkdown(cleanText(error.message).slice(0, MAX_WARNING_LENGTH));
      if (![...warnings.keys()].some((text) => text.endsWith(` ${said}`))) note(error.code, error.message);
    },
    sections() {
      const changes = [...files].map(([path, change]) => `- ${change} ${codeSpan(cleanText(path))}`);
      const notes = [...warnings].map(([text, count]) => `- ${text}${count > 1 ? ` (×${count})` : ''}`);
      return [...list('Files changed', changes, MAX_FILES), ...list('Warnings and errors', notes, MAX_WARNINGS)];
    },
  };
}

function list(title: string, lines: readonly string[], max: number): string[] {
  if (lines.length === 0) return [];
  const more = lines.length > max ? [`- … ${lines.length - max} more`] : [];
  return [`## ${title}`, [...lines.slice(0, max), ...more].join('\n')];
}
