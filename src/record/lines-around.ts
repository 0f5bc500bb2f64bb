import type { LinesAnswer } from '../protocol/index.ts';
import type { RecordFile } from './record-files.ts';
import { countLines, lineEnd, lineStart, type ShownLine, showLine } from './shown-line.ts';

/** The line that contains a byte, with some lines before and after it. */
export async function linesAround(
  file: RecordFile,
  { around, before, after }: { around: number; before: number; after: number },
): Promise<LinesAnswer> {
  const { size } = file;
  if (size === 0) return { lines: [], size };
  let from = await lineStart(file, Math.min(around, size - 1));
  let earlier = 0;
  while (earlier < before && from > 0) {
    from = await lineStart(file, from - 1);
    earlier++;
  }
  let line = 1 + (await countLines(file, 0, from));
  const lines: ShownLine[] = [];
  const wanted = earlier + 1 + after;
  while (lines.length < wanted && from < size) {
    const to = await lineEnd(file, from);
    lines.push(await showLine(file, { line: line++, from, to }));
    from = to + 1;
  }
  return { lines, size };
}
