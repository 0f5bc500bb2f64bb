import { once } from 'node:events';
import { fullLines, type JournalLine } from '../../journal/index.ts';
import { asUnderstood, isEvent, isRaw, type RaspEvent, type RawType, TachoError } from '../../protocol/index.ts';
import { findRun, folderFiles } from '../../recording/index.ts';
import { openJournal } from '../../runs/index.ts';
import type { EventsOptions } from '../commands/records.ts';
import { openContext } from '../context.ts';
import { fitLine } from '../output/fit-line.ts';
import { printable } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { followLines } from './follow-lines.ts';

export async function printEvents(selector: string, options: EventsOptions): Promise<void> {
  const context = openContext(options);
  const folder = findRun(context.home.runs, selector);
  const journal = openJournal(folder, context.config);
  const afterSeq = options.fromSeq === undefined ? 0 : wholeNumber('--from-seq', options.fromSeq) - 1;
  const limit = options.limit === undefined ? Number.POSITIVE_INFINITY : wholeNumber('--limit', options.limit, 1);
  const fromTs = time('--from-ts', options.fromTs);
  const toTs = time('--to-ts', options.toTs);
  let printed = 0;
  let seen = afterSeq;
  /** False when no more lines are wanted. */
  const show = async (lines: readonly JournalLine[]): Promise<boolean> => {
    for (const line of lines) {
      seen = line.seq;
      if (await printLine(line, options)) printed++;
      if (printed >= limit) return false;
    }
    return true;
  };
  const files = folderFiles(folder);
  const wanted = (lines: AsyncIterable<JournalLine[]>) => (options.full ? fullLines(lines, files) : lines);
  for await (const lines of wanted(journal.readLines(folder.runId, { afterSeq, fromTs, toTs }))) {
    if (!(await show(lines))) return;
  }
  if (!options.follow) return;
  for await (const lines of wanted(followLines(folder, journal, seen))) if (!(await show(lines))) return;
}

/** False when the filter excludes the event. */
async function printLine({ bytes }: JournalLine, options: EventsOptions): Promise<boolean> {
  const text = bytes.toString();
  if (options.type === undefined && options.json) return print(text);
  const event = asUnderstood(JSON.parse(text) as RaspEvent);
  if (options.type !== undefined && !event.event.type.startsWith(options.type)) return false;
  return print(options.json ? text : options.full && isRaw(event) ? describeWhole(event) : describe(event));
}

async function print(line: string): Promise<boolean> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
  return true;
}

/** Columns before the type of an event. */
const INDENT = 20;

function describe(event: RaspEvent): string {
  return fitLine(`${headOf(event)}  ${printable(summary(event)).slice(0, 160)}`.trimEnd(), process.stdout, INDENT);
}

/** All lines of raw output. */
function describeWhole(event: RaspEvent<RawType>): string {
  const { text, unresolved } = event.data;
  const lines = text.replace(/\n$/, '').split('\n');
  const reason = unresolved ? [paint.dim(`       … the rest cannot be read: ${unresolved}`)] : [];
  return [headOf(event), ...lines.map((line) => `       ${printable(line)}`.trimEnd()), ...reason].join('\n');
}

function headOf({ seq, ts, event }: RaspEvent): string {
  return `${paint.dim(String(seq).padStart(6))} ${paint.dim(ts.slice(11, 23))} ${event.type}`;
}

function summary(event: RaspEvent): string {
  // A newer version of tacho may have written something other than an object.
  if (typeof event.data !== 'object' || event.data === null) return JSON.stringify(event.data) ?? '';
  const data = event.data as Record<string, unknown>;
  if (isEvent(event, 'lifecycle.run.requested')) return event.data.command.join(' ');
  for (const key of ['text', 'message', 'path', 'prompt'])
    if (typeof data[key] === 'string') return data[key].trimEnd();
  return Object.entries(data)
    .filter(([, value]) => typeof value !== 'object')
    .map(([key, value]) => `${key}=${String(value).slice(0, 24)}`)
    .join(' ');
}

function wholeNumber(flag: string, text: string, least = 0): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new TachoError('USAGE', `${flag} ${text}: must be a whole number from ${least}`);
}

function time(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const date = new Date(text);
  if (!Number.isNaN(date.getTime())) return date.toISOString();
  throw new TachoError('USAGE', `${flag} ${text}: not a time`, { fix: 'Example: 2026-11-15T08:00:00Z' });
}
