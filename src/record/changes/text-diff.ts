import { diffLines } from './line-diff.ts';

export interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  /** Line number on each side, from 1; null if the side does not have the line. */
  before: number | null;
  after: number | null;
  /** Without the line feed. */
  text: string;
  /** The line of the other side that it replaced or was replaced by. */
  other: string | null;
  /** False for a last line without a line feed. */
  ended: boolean;
}

/** Nearby changes with a few lines of context. */
export interface Hunk {
  lines: DiffLine[];
  /** Number of unchanged lines before it that are not shown. */
  skipped: number;
}

export interface TextDiff {
  hunks: Hunk[];
  /** Number of unchanged lines after the last hunk. */
  skippedAfter: number;
  /** A comparison took too long somewhere: all old lines there come before all new ones. */
  tooDifferent: boolean;
}

const CONTEXT = 3;

/** The line-by-line changes from one text to another. */
export function diffTexts(before: string, after: string): TextDiff {
  const { parts, tooDifferent } = diffLines(splitLines(before), splitLines(after));
  const lines: DiffLine[] = [];
  let [beforeLine, afterLine] = [0, 0];
  for (const { kind, lines: partLines } of parts) {
    for (const line of partLines) {
      if (kind !== 'added') beforeLine++;
      if (kind !== 'removed') afterLine++;
      lines.push({
        kind,
        before: kind === 'added' ? null : beforeLine,
        after: kind === 'removed' ? null : afterLine,
        text: line.endsWith('\n') ? line.slice(0, -1) : line,
        other: null,
        ended: line.endsWith('\n'),
      });
    }
  }
  pairLines(lines);
  return { ...hunksOf(lines), tooDifferent };
}

/** Lines with their line feeds, so that a missing one at the end counts. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** In a block of removed and then added lines, pairs the first with the first, and so on. */
function pairLines(lines: DiffLine[]): void {
  for (let at = 0; at < lines.length; ) {
    const removedFrom = at;
    while (lines[at]?.kind === 'removed') at++;
    const addedFrom = at;
    while (lines[at]?.kind === 'added') at++;
    const pairs = Math.min(addedFrom - removedFrom, at - addedFrom);
    for (let pair = 0; pair < pairs; pair++) {
      const [removed, added] = [lines[removedFrom + pair]!, lines[addedFrom + pair]!];
      removed.other = added.text;
      added.other = removed.text;
    }
    if (at === removedFrom) at++;
  }
}

function hunksOf(lines: readonly DiffLine[]): { hunks: Hunk[]; skippedAfter: number } {
  const hunks: Hunk[] = [];
  let shownTo = 0;
  for (let at = 0; at < lines.length; ) {
    if (lines[at]!.kind === 'same') {
      at++;
      continue;
    }
    let end = at;
    // Changes close to each other form one hunk, because their context would overlap.
    for (let ahead = at; ahead < lines.length && ahead - end <= 2 * CONTEXT; ahead++) {
      if (lines[ahead]!.kind !== 'same') end = ahead + 1;
    }
    const from = Math.max(shownTo, at - CONTEXT);
    const to = Math.min(lines.length, end + CONTEXT);
    hunks.push({ lines: lines.slice(from, to), skipped: from - shownTo });
    shownTo = to;
    at = to;
  }
  return { hunks, skippedAfter: lines.length - shownTo };
}
