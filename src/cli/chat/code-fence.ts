import type { Colors } from './page.ts';
import { sanitizeLine } from './sanitize.ts';

/** A fenced code block, line by line. Its lines are never wrapped, so that copied code works. */
export interface CodeFence {
  push(text: string): 'open' | 'closed';
}

export interface CodeFenceOptions {
  line(text: string): void;
  colors: Colors;
}

const OPENING = /^\s*(`{3,}|~{3,})[^`]*$/;

export function opensFence(text: string): boolean {
  return OPENING.test(text);
}

/** With colours the fence is hidden and its lines are indented; without colours it is printed as written. */
export function createCodeFence(opening: string, { line, colors }: CodeFenceOptions): CodeFence {
  const [, sign = '```'] = OPENING.exec(opening) ?? [];
  const closing = new RegExp(`^\\s*\\${sign[0]}{${sign.length},}\\s*$`);
  const styled = colors.isColorSupported;
  if (!styled) line(sanitizeLine(opening));
  return {
    push(text) {
      const isClosing = closing.test(text);
      if (!styled) line(sanitizeLine(text));
      else if (!isClosing) line(`  ${colors.cyan(sanitizeLine(text))}`);
      return isClosing ? 'closed' : 'open';
    },
  };
}
