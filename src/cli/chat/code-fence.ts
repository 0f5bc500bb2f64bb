import { doneMarkerLine, LONGEST_MARKER } from './done-marker.ts';
import { harmlessLine } from './harmless.ts';
import type { Colors } from './page.ts';

/** A fenced block of code, line by line. Its lines are never wrapped: what is copied has to work. */
export interface CodeFence {
  push(text: string): 'open' | 'closed';
  /** Writes what was held back. */
  flush(): void;
}

export interface CodeFenceOptions {
  line(text: string): void;
  columns(): number;
  colors: Colors;
}

const OPENING = /^\s*(`{3,}|~{3,})([^`]*)$/;

export function opensFence(text: string): boolean {
  return OPENING.test(text);
}

/** With colours the fence itself is not shown, its lines are indented; without, it stays as it was written. */
export function createCodeFence(opening: string, { line, columns, colors }: CodeFenceOptions): CodeFence {
  const [, sign = '```', info = ''] = OPENING.exec(opening) ?? [];
  const closing = new RegExp(`^\\s*\\${sign[0]}{${sign.length},}\\s*$`);
  const styled = colors.isColorSupported;
  // A block that may turn out to be the done marker is not shown before that is clear.
  let held: string[] | null = /^\s*(?:json\w*)?\s*$/i.test(info) ? [] : null;

  function code(text: string): void {
    line(styled ? `  ${colors.cyan(harmlessLine(text))}` : harmlessLine(text));
  }

  function fenceLine(text: string): void {
    if (!styled) line(harmlessLine(text));
  }

  function flush(): void {
    if (!held) return;
    fenceLine(opening);
    for (const text of held) code(text);
    held = null;
  }

  if (!held) fenceLine(opening);
  return {
    push(text) {
      if (closing.test(text)) {
        const marker = held && doneMarkerLine(held.join('\n'), columns());
        if (marker) line(colors.dim(marker));
        else {
          flush();
          fenceLine(text);
        }
        return 'closed';
      }
      if (!held) code(text);
      else {
        held.push(text);
        const all = held.join('\n');
        if (all.length > LONGEST_MARKER || /^\s*[^\s{]/.test(all)) flush();
      }
      return 'open';
    },
    flush,
  };
}
