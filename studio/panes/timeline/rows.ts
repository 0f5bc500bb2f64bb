import type { MarkRow, PlacedMark } from '../../model/timeline/timeline-marks.ts';

/** Positions of the parts of the strip, in pixels from its top. */
export const HEIGHT = 64;
export const BAND = { y: 0, height: 12 };
export const OUTPUT = { y: 43, height: 9 };
export const AXIS_BASE = 61;
const ROWS: Record<MarkRow, { y: number; height: number }> = {
  diagnostics: { y: 2, height: 9 },
  messages: { y: 13, height: 7 },
  tools: { y: 20, height: 7 },
  approvals: { y: 28, height: 7 },
  files: { y: 35, height: 7 },
};

/** The row of marks at a height; null for all rows. */
export function rowAt(y: number): MarkRow | null {
  const found = Object.entries(ROWS).find(([, row]) => y >= row.y && y < row.y + row.height);
  return (found?.[0] as MarkRow | undefined) ?? null;
}

/** One path for all marks of a row: a strip of ten thousand marks has only a few elements. */
export function pathOf(marks: readonly PlacedMark[], row: MarkRow): string {
  const { y, height } = ROWS[row];
  return marks.map((mark) => SHAPES[row](mark, y, height)).join('');
}

export function middleOf(row: MarkRow): number {
  return ROWS[row].y + ROWS[row].height / 2;
}

type Shape = (mark: PlacedMark, y: number, height: number) => string;

const SHAPES: Record<MarkRow, Shape> = {
  diagnostics: ({ x }, y, height) => `M${round(x)} ${y}l4 ${height - 1}h-8z`,
  messages: ({ x }, y) => `M${round(x - 2.5)} ${y + 3.5}a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0z`,
  tools: (mark, y, height) => bar(mark, y + 1, height - 2),
  approvals: (mark, y, height) => {
    const diamond = `M${round(mark.x)} ${y}l3.5 3.5l-3.5 3.5l-3.5 -3.5z`;
    return mark.width < 6 ? diamond : diamond + bar(mark, y + 2, height - 4);
  },
  files: ({ x }, y) => `M${round(x - 2)} ${y + 1.5}h4v4h-4z`,
};

function bar({ x, width }: PlacedMark, y: number, height: number): string {
  const long = round(Math.max(2, width));
  return `M${round(x)} ${y}h${long}v${height}h${-long}z`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
