import type { RaspEvent } from '../protocol/index.ts';
import { lengthOf, type RunModel, type Span, timeOf } from './run-model.ts';

/**
 * A run drawn like the paper disc of a tachograph: the angle is time, clockwise from the top; the rings, from the rim
 * inwards, are output, tools, waiting and files; attempts are sectors. 20 pixels in a list, 96 in a header; any size
 * when exported.
 */
export interface DiscShape {
  kind: DiscPart;
  /** An SVG path. */
  d: string;
}

type DiscPart = 'paper' | 'attempt' | 'lines' | 'rim' | 'output' | 'tools' | 'failed' | 'waiting' | 'files' | 'hub';

/** Inner and outer radius of each ring, as shares of the disc's radius. */
const RINGS = {
  output: [0.72, 0.97],
  tools: [0.54, 0.68],
  waiting: [0.38, 0.5],
  files: [0.22, 0.34],
} as const;
const HUB = 0.12;
/** Below this size there is no room for lines between the rings. */
const LINED_SIZE = 64;
/** Minimum angle of a span, as a share of a turn. */
const MIN_TURN = 0.005;
/** Every second attempt is shaded, to distinguish neighbours. */
const SHADE_INTERVAL = 2;

export function discShapes(model: RunModel, size: number): DiscShape[] {
  const radius = size / 2;
  const start = model.start ?? 0;
  const length = Math.max(1, lengthOf(model));
  const share = (time: number | null) => (time === null ? 1 : Math.max(0, Math.min(1, (time - start) / length)));
  /** A span too short to be visible is drawn longer. */
  const arc = ({ from, to }: Span, [inner, outer]: readonly [number, number]) => {
    const min = Math.max(MIN_TURN, 1 / (Math.PI * 2 * radius * outer));
    const begin = Math.min(share(from), 1 - min);
    return ringPath(radius, inner, outer, begin, Math.max(share(to), begin + min));
  };
  const calls = [...model.calls.values()];
  const files = model.events.filter(({ event }) => event.category === 'artifact').map(({ ts }) => Date.parse(ts));
  const shapes: DiscShape[] = [
    { kind: 'paper', d: ringPath(radius, 0, 1, 0, 1) },
    {
      kind: 'attempt',
      d: model.attempts
        .filter((_, index) => index % SHADE_INTERVAL === 1)
        .map((attempt) => arc(attempt, [HUB, 1]))
        .join(''),
    },
    { kind: 'lines', d: size < LINED_SIZE ? '' : linesPath(radius) },
    { kind: 'output', d: outputPath(model, radius) },
    {
      kind: 'tools',
      d: calls
        .filter(({ failed }) => !failed)
        .map((call) => arc(call, RINGS.tools))
        .join(''),
    },
    {
      kind: 'failed',
      d: calls
        .filter(({ failed }) => failed)
        .map((call) => arc(call, RINGS.tools))
        .join(''),
    },
    { kind: 'waiting', d: model.waits.map((wait) => arc(wait, RINGS.waiting)).join('') },
    { kind: 'files', d: files.map((time) => arc({ from: time, to: time }, RINGS.files)).join('') },
    { kind: 'rim', d: ringPath(radius, 1 - 1 / radius, 1, 0, 1) },
    { kind: 'hub', d: ringPath(radius, 0, HUB, 0, 1) },
  ];
  return shapes.filter(({ d }) => d !== '');
}

/** The time at a point of a disc, in milliseconds since the start of the run; null outside and on its hub. */
export function discTime(model: RunModel, { x, y, size }: { x: number; y: number; size: number }): number | null {
  const [right, down] = [x - size / 2, y - size / 2];
  const away = Math.hypot(right, down) / (size / 2);
  if (away > 1 || away < HUB) return null;
  const turn = Math.atan2(right, -down) / (Math.PI * 2);
  return (turn < 0 ? turn + 1 : turn) * lengthOf(model);
}

/** The page takes the colours from its style sheet; a separate file has them fixed. */
const FIXED: Record<DiscPart, string> = {
  paper: '#fbfbfa',
  attempt: '#eaeae6',
  lines: '#dcdcd7',
  rim: '#8b8d88',
  output: '#5b6067',
  tools: '#6a3fc0',
  failed: '#b8322a',
  waiting: '#1d5fd0',
  files: '#1a7240',
  hub: '#8b8d88',
};

/** A complete SVG file. */
export function discSvg(model: RunModel, { size, title }: { size: number; title: string }): string {
  const paths = discShapes(model, size).map(
    ({ kind, d }) => `<path fill="${FIXED[kind]}" fill-rule="evenodd" d="${d}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}" role="img">`,
    `<title>${escaped(title)}</title>`,
    ...paths,
    '</svg>\n',
  ].join('\n');
}

/** A hairline at the inner edge of each ring, as on the paper. */
function linesPath(radius: number): string {
  return Object.values(RINGS)
    .map(([inner]) => ringPath(radius, inner - 0.5 / radius, inner, 0, 1))
    .join('');
}

/** Output over time, as bars at the inner edge of the ring. */
function outputPath(model: RunModel, radius: number): string {
  const count = Math.max(12, Math.min(360, Math.round(radius * 1.5)));
  const bins = new Array<number>(count).fill(0);
  const length = Math.max(1, lengthOf(model));
  for (const event of model.events) {
    const bin = Math.min(count - 1, Math.floor((timeOf(model, event) / length) * count));
    bins[bin]! += bytesOf(event);
  }
  const max = Math.log1p(Math.max(...bins));
  const [inner, outer] = RINGS.output;
  return bins
    .map((bytes, bin) => {
      if (bytes === 0) return '';
      const height = Math.max(0.25, Math.log1p(bytes) / max) * (outer - inner);
      return ringPath(radius, inner, inner + height, bin / count, (bin + 0.8) / count);
    })
    .join('');
}

function bytesOf({ raw_ref }: RaspEvent): number {
  if (raw_ref === null) return 0;
  const ranges = Array.isArray(raw_ref) ? raw_ref : [raw_ref];
  return ranges.reduce((sum, { byte_from, byte_to }) => sum + byte_to - byte_from, 0);
}

/** Part of a ring between two shares of a turn; radii are shares of the disc's. */
function ringPath(radius: number, inner: number, outer: number, from: number, to: number): string {
  // An arc that ends where it began is empty, so a full turn consists of two halves.
  if (to - from >= 1) {
    return ringPath(radius, inner, outer, from, from + 0.5) + ringPath(radius, inner, outer, from + 0.5, from + 0.9999);
  }
  const at = (share: number, turn: number) => {
    const angle = turn * Math.PI * 2;
    const [x, y] = [Math.sin(angle), -Math.cos(angle)].map((part) => round(radius + part * share * radius));
    return `${x} ${y}`;
  };
  const large = to - from > 0.5 ? 1 : 0;
  const [near, far] = [round(inner * radius), round(outer * radius)];
  const back = inner === 0 ? `L${at(0, 0)}` : `L${at(inner, to)}A${near} ${near} 0 ${large} 0 ${at(inner, from)}`;
  return `M${at(outer, from)}A${far} ${far} 0 ${large} 1 ${at(outer, to)}${back}Z`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function escaped(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replaceAll(/[&<>"]/g, (sign) => names[sign]!);
}
