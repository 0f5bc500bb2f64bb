import { diffTexts, type Hunk } from '../../record/changes/text-diff.ts';

export interface TextPatch {
  /** The hunks, as a latin1 string of their bytes. */
  hunks: string;
  insertions: number;
  deletions: number;
}

/** A text change as a unified diff. Bytes are latin1 characters, so that any encoding and line end is preserved. */
export function textPatch(before: Buffer, after: Buffer): TextPatch {
  const { hunks } = diffTexts(before.toString('latin1'), after.toString('latin1'));
  const patch: TextPatch = { hunks: '', insertions: 0, deletions: 0 };
  const pieces: string[] = [];
  let [oldLine, newLine] = [0, 0];
  for (const { lines, skipped } of hunks) {
    oldLine += skipped;
    newLine += skipped;
    const oldLines = lines.filter(({ kind }) => kind !== 'added').length;
    const newLines = lines.filter(({ kind }) => kind !== 'removed').length;
    pieces.push(`@@ -${span(oldLine, oldLines)} +${span(newLine, newLines)} @@\n`);
    for (const line of lines) pieces.push(lineText(line));
    oldLine += oldLines;
    newLine += newLines;
    patch.insertions += lines.filter(({ kind }) => kind === 'added').length;
    patch.deletions += lines.filter(({ kind }) => kind === 'removed').length;
  }
  return { ...patch, hunks: pieces.join('') };
}

/** Position of a hunk on one side: its first line, from 1, or the line before it if it is empty there. */
function span(linesBefore: number, lines: number): string {
  return `${lines === 0 ? linesBefore : linesBefore + 1},${lines}`;
}

const SIGNS = { same: ' ', removed: '-', added: '+' } as const;

function lineText({ kind, text, ended }: Hunk['lines'][number]): string {
  return `${SIGNS[kind]}${text}\n${ended ? '' : '\\ No newline at end of file\n'}`;
}
