import { withoutDoneMarker } from '../../../src/conversation/index.ts';
import { isEvent, type RaspEvent } from '../../../src/protocol/index.ts';
import { lengthOf, type RunModel, timeOf } from '../../../src/record/index.ts';
import type { TimeScale } from './time-axis.ts';

export const MARK_ROWS = ['messages', 'tools', 'approvals', 'files', 'diagnostics'] as const;
export type MarkRow = (typeof MARK_ROWS)[number];

/** An occurrence on the timeline. Milliseconds since the start of the run. */
export interface Mark {
  row: MarkRow;
  from: number;
  to: number;
  seq: number;
  /** Failed, refused or an error: highlighted. */
  bad: boolean;
  /** It has not ended yet. */
  open: boolean;
  title: string;
}

/** All marks of a run, in order of time. */
export function marksOf(model: RunModel): Mark[] {
  const marks: Mark[] = [];
  for (const event of model.events) {
    const mark = pointOf(event);
    if (mark === null) continue;
    const time = timeOf(model, event);
    marks.push({ ...mark, from: time, to: time, seq: event.seq, open: false });
  }
  const [start, end] = [model.start ?? 0, lengthOf(model)];
  const span = ({ from, to }: { from: number; to: number | null }) => ({
    from: from - start,
    to: to === null ? end : to - start,
    open: to === null,
  });
  for (const call of model.calls.values()) {
    marks.push({ row: 'tools', ...span(call), seq: call.startedSeq, bad: call.failed, title: call.name });
  }
  for (const approval of model.approvals.values()) {
    const bad = approval.decision !== null && !/^(approved|allow)/.test(approval.decision);
    marks.push({ row: 'approvals', ...span(approval), seq: approval.requestedSeq, bad, title: approval.summary });
  }
  return marks.sort((one, other) => one.from - other.from || one.seq - other.seq);
}

function pointOf(event: RaspEvent): Pick<Mark, 'row' | 'bad' | 'title'> | null {
  if (isEvent(event, 'agent.message.final'))
    return { row: 'messages', bad: false, title: oneLine(withoutDoneMarker(event.data.text)) };
  if (isEvent(event, 'interaction.reply.accepted')) {
    return { row: 'messages', bad: false, title: oneLine(event.data.text) };
  }
  if (isEvent(event, 'interaction.user_input.required')) {
    return { row: 'approvals', bad: false, title: oneLine(event.data.prompt) };
  }
  if (isEvent(event, 'artifact.created') || isEvent(event, 'artifact.modified') || isEvent(event, 'artifact.deleted')) {
    return { row: 'files', bad: false, title: event.data.path };
  }
  if (
    isEvent(event, 'diagnostic.engine.error') ||
    isEvent(event, 'diagnostic.parser.warning') ||
    isEvent(event, 'diagnostic.runtime.warning')
  ) {
    return { row: 'diagnostics', bad: event.data.severity === 'error', title: event.data.code };
  }
  return null;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 80);
}

/** The mark before or after a time. One less than a screen frame away counts as the current one. */
export function neighbourMark(marks: readonly Mark[], time: number, direction: 'before' | 'after'): Mark | undefined {
  return direction === 'after'
    ? marks.find(({ from }) => from > time + 1)
    : marks.findLast(({ from }) => from < time - 1);
}

/** The mark at a time: the last one that has begun. */
export function markAt(marks: readonly Mark[], time: number): Mark | undefined {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (marks[middle]!.from <= time) low = middle + 1;
    else high = middle;
  }
  return marks[low - 1];
}

/** The mark of a row, or of any row, nearest to a time; none if all are farther than `within`. */
export function nearestMark(
  marks: readonly Mark[],
  time: number,
  { within, row }: { within: number; row: MarkRow | null },
): Mark | undefined {
  let nearest: Mark | undefined;
  let least = within;
  for (const mark of marks) {
    if (row !== null && mark.row !== row) continue;
    const away = time < mark.from ? mark.from - time : Math.max(0, time - mark.to);
    // Of two equally near marks, the later one is the shorter one inside of a longer one.
    if (away > least) continue;
    nearest = mark;
    least = away;
  }
  return nearest;
}

/** Position of a mark on the screen. Marks of a row that are too close to distinguish become one, with a count. */
export interface PlacedMark {
  row: MarkRow;
  x: number;
  width: number;
  count: number;
  bad: boolean;
  open: boolean;
}

/** Minimum distance in pixels. */
const MIN_DISTANCE = 3;

/** Extends open spans to `until`. */
export function placeMarks(marks: readonly Mark[], { x, width }: TimeScale, until: number): PlacedMark[] {
  const placed: PlacedMark[] = [];
  const last = new Map<MarkRow, PlacedMark>();
  for (const { row, from, to, bad, open } of marks) {
    const [begin, end] = [x(from), x(open ? Math.max(to, until) : to)];
    if (end < 0 || begin > width) continue;
    const [left, right] = [Math.max(0, begin), Math.min(width, end)];
    const before = last.get(row);
    const long = right - left >= MIN_DISTANCE;
    if (before && before.bad === bad && left - before.x < MIN_DISTANCE && !(long && before.width >= MIN_DISTANCE)) {
      before.count++;
      before.width = Math.max(before.width, right - before.x);
      before.open ||= open;
      continue;
    }
    const mark = { row, x: left, width: right - left, count: 1, bad, open };
    placed.push(mark);
    last.set(row, mark);
  }
  return placed;
}
