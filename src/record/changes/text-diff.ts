import { diffLines } from './line-diff.ts';

export interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  /** Number of the line on each side, from 1; null where it is not. */
  before: number | null;
  after: number | null;
  /** Without the line feed. */
  text: string;
  /** The line of the other side that took its place. */
  other: string | null;
  /** False for a last line that has no line feed. */
  ended: boolean;
}

/** A stretch of changes with a few lines around them. */
export interface Hunk {
  lines: DiffLine[];
  /** Lines before it that are the same and not shown. */
  skipped: number;
}

export interface TextDiff {
  hunks: Hunk[];
  /** The same lines after the last hunk. */
  skippedAfter: number;
  /** Looking for what is the same took too long somewhere: all of the old stands there before all of the new. */
  tooDifferent: boolean;
}

const CONTEXT = 3;

/** What changed from one text to another, line by line. */
export function diffTexts(before: string, after: string): TextDiff {
  const { parts, gaveUp } = diffLines(splitLines(before), splitLines(after));
  const lines: DiffLine[] = [];
  let [beforeLine, afterLine] = [0, 0];
  for (const { kind, lines: told } of parts) {
    for (const line of told) {
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
  return { ...hunksOf(lines), tooDifferent: gaveUp };
}

/** Lines with their line feeds, so that one that is missing at the end counts. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** In a block of removed and then added lines, the first takes the place of the first, and so on. */
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
    // Changes that are near each other are one hunk: their surroundings would overlap.
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
