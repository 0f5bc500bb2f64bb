import { comparableLine } from './comparable-line.ts';
import type { FinalLines } from './final-lines.ts';
import { areContiguous, type RawBlock, type Segment } from './raw-block.ts';

/** Lines that repeat a message: from the start of the first to the end of the last one. */
export interface LeftOut {
  first: Segment;
  last: Segment;
  lines: number;
}

export interface EchoOutput {
  keep(segment: Segment): void;
  leaveOut(lines: LeftOut): void;
}

/** Finds the echoes in the raw lines of one stream. What it is given is decided, but for a run that may still grow. */
export interface EchoRun {
  take(block: RawBlock): void;
  /** Nothing more comes: decides what is left. */
  close(): void;
}

interface Run extends LeftOut {
  /** Lines that count: blank ones neither count nor end a run. */
  matched: number;
  /** The lines of a run that is still too short to be left out. */
  body: Segment[];
  /** Blank lines since the last one that counts; outside of the run unless another such line follows. */
  blanks: Segment[];
  /** Weight of body and blanks. */
  held: number;
}

const SHORTEST_RUN = 3;
/** Weight beyond which neither a line that counts nor the end of a line is waited for. */
const MAX_WAITING = 64 * 1024;
/** What is held keeps its event alive, so even an empty line weighs something. */
const SEGMENT_WEIGHT = 16;

export function createEchoRun(finals: FinalLines, output: EchoOutput): EchoRun {
  let run: Run | null = null;
  /** Kept lines that stand side by side in one block leave as one message. */
  let kept: Segment | null = null;
  /** Pieces of a line whose end is in a later block. */
  let unended: Segment[] = [];
  let unendedWeight = 0;
  let previous: RawBlock | null = null;

  function take(block: RawBlock): void {
    if (previous && !areContiguous(previous, block)) close();
    previous = block;
    const { text } = block;
    if (!block.isWhole || text === '') {
      // Part of its text is missing, so its lines cannot be compared.
      close();
      output.keep(whole(block));
      return;
    }
    if (finals.size === 0 && run === null && unended.length === 0) {
      output.keep(whole(block));
      return;
    }
    for (let from = 0; from < text.length; ) {
      const end = text.indexOf('\n', from);
      const to = end < 0 ? text.length : end + 1;
      unended.push({ block, from, to, lines: 1 });
      unendedWeight += to - from + SEGMENT_WEIGHT;
      if (end >= 0 || unendedWeight > MAX_WAITING) judgeLine();
      from = to;
    }
    sendKept();
  }

  function close(): void {
    judgeLine();
    closeRun();
    sendKept();
    previous = null;
  }

  function judgeLine(): void {
    const line = unended;
    if (line.length === 0) return;
    unended = [];
    unendedWeight = 0;
    const text = comparableLine(textOf(line));
    if (text !== '' && finals.has(text)) addToRun(line);
    else if (text === '' && run) addBlank(run, line);
    else {
      closeRun();
      for (const segment of line) keep(segment);
    }
  }

  function addToRun(line: Segment[]): void {
    run ??= { first: line[0]!, last: line[0]!, lines: 0, matched: 0, body: [], blanks: [], held: 0 };
    const more = [...run.blanks, ...line];
    run.matched++;
    run.last = line.at(-1)!;
    for (const segment of more) run.lines += segment.lines;
    run.blanks = [];
    // Once it is long enough the run only has to be counted, however long it gets.
    run.body = run.matched < SHORTEST_RUN ? [...run.body, ...more] : [];
    run.held = weightOf(run.body);
  }

  function addBlank(open: Run, line: Segment[]): void {
    open.blanks.push(...line);
    open.held += weightOf(line);
    if (open.held > MAX_WAITING) closeRun();
  }

  function closeRun(): void {
    if (!run) return;
    const { matched, body, blanks, first, last, lines } = run;
    run = null;
    if (matched >= SHORTEST_RUN) {
      sendKept();
      output.leaveOut({ first, last, lines });
    } else {
      for (const segment of body) keep(segment);
    }
    for (const segment of blanks) keep(segment);
  }

  function keep(segment: Segment): void {
    if (kept && kept.block === segment.block && kept.to === segment.from) {
      kept.to = segment.to;
      kept.lines += segment.lines;
      return;
    }
    sendKept();
    kept = { ...segment };
  }

  function sendKept(): void {
    if (kept) output.keep(kept);
    kept = null;
  }

  return { take, close };
}

function whole(block: RawBlock): Segment {
  return { block, from: 0, to: block.text.length, lines: block.event.data.lines };
}

function textOf(segments: readonly Segment[]): string {
  let text = '';
  for (const { block, from, to } of segments) text += block.text.slice(from, to);
  return text;
}

function weightOf(segments: readonly Segment[]): number {
  let weight = 0;
  for (const { from, to } of segments) weight += to - from + SEGMENT_WEIGHT;
  return weight;
}
