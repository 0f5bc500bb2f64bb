import { countLineFeeds, lineEnd, lineStart, type ShownLine, showLine } from './line-at.ts';
import { pieces, type RawFile } from './open-raw.ts';

/** The line a byte is in, with some before and after it. */
export async function linesAround(
  file: RawFile,
  { around, before, after }: { around: number; before: number; after: number },
): Promise<ShownLine[]> {
  if (file.size === 0) return [];
  let from = await lineStart(file, Math.min(around, file.size - 1));
  let earlier = 0;
  while (earlier < before && from > 0) {
    from = await lineStart(file, from - 1);
    earlier++;
  }
  let line = 1;
  for await (const { bytes } of pieces(file, 0, from)) line += countLineFeeds(bytes);
  const lines: ShownLine[] = [];
  const wanted = earlier + 1 + after;
  while (lines.length < wanted && from < file.size) {
    const to = await lineEnd(file, from);
    lines.push(await showLine(file, { line: line++, from, to }));
    from = to + 1;
  }
  return lines;
}
