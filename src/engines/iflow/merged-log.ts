import type { Parser, ParserContext, RaspData, RaspDraft, RawRef } from '../../protocol/index.ts';
import { createDrafter } from '../drafter.ts';
import type { Unit } from '../unit.ts';
import { readRound } from './read-round.ts';

/**
 * Reads split logs beside a merged one that was recorded separately and repeats them: what both contain is taken from the split
 * logs, and only what those lack from the merged one.
 */
export function readBesideMergedLog(context: ParserContext, source: { parser: string; confidence: number }): Parser {
  const split = readRound(context, source);
  const merged = readRound(context, source);
  const inSplit: RaspDraft[] = [];
  const inMerged: RaspDraft[] = [];

  function note(drafts: RaspDraft[]): RaspDraft[] {
    inSplit.push(...drafts.filter(isFact));
    return drafts;
  }

  return {
    push(stream, bytes, time) {
      if (stream !== 'pty') return note(split.push(stream, bytes, time));
      inMerged.push(...merged.push(stream, bytes, time).filter(isFact));
      return [];
    },
    tick(time) {
      inMerged.push(...merged.tick(time).filter(isFact));
      return note(split.tick(time));
    },
    end(exit) {
      inMerged.push(...merged.end(exit).filter(isFact));
      const drafts = note(split.end(exit));
      return [...drafts, ...recover(context, source, inSplit, inMerged)];
    },
  };
}

function recover(
  context: ParserContext,
  source: { parser: string; confidence: number },
  split: readonly RaspDraft[],
  merged: readonly RaspDraft[],
): RaspDraft[] {
  const drafts: RaspDraft[] = [];
  const draft = createDrafter(context, source, (made) => drafts.push(made));
  const missing = merged.filter((fact) => !tells(split, fact));
  const extra = split.filter((fact) => !tells(merged, fact));
  for (const { event, data, source: found, correlation, ts, raw_ref } of missing) {
    draft.event(event.type, data as RaspData<typeof event.type>, unitsOf(raw_ref, ts), {
      confidence: found.confidence,
      correlation,
    });
  }
  const last = missing.at(-1);
  if (last) draft.warning('PTY_FALLBACK_USED', unitsOf(last.raw_ref, last.ts), { recovered: missing.length });
  const other = last ?? extra.at(-1);
  if (other) {
    const counts = { missing_in_split: missing.length, missing_in_merged: extra.length };
    draft.warning('PTY_STREAM_MISMATCH', unitsOf(other.raw_ref, other.ts), counts);
  }
  return drafts;
}

/** What a run is about; raw lines and warnings are about the log. */
function isFact({ event }: RaspDraft): boolean {
  return (
    event.type === 'agent.message.final' ||
    event.type === 'lifecycle.run.status' ||
    event.type === 'diagnostic.engine.error'
  );
}

/** Whether these logs contain a fact. One terminal may mix the lines of two messages, so lines are compared. */
function tells(drafts: readonly RaspDraft[], fact: RaspDraft): boolean {
  const same = drafts.filter(({ event }) => event.type === fact.event.type);
  if (fact.event.type !== 'agent.message.final') {
    const told = JSON.stringify(fact.data);
    return same.some(({ data }) => JSON.stringify(data) === told);
  }
  const known = new Set(same.flatMap((draft) => linesOf(draft)));
  return linesOf(fact).every((line) => known.has(line));
}

function linesOf({ data }: RaspDraft): string[] {
  const { text } = data as RaspData<'agent.message.final'>;
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function unitsOf(ref: RawRef, ts: string): Unit[] {
  const ranges = ref === null ? [] : Array.isArray(ref) ? ref : [ref];
  return ranges.map(({ stream, byte_from, byte_to }) => ({
    stream: stream as Unit['stream'],
    from: byte_from,
    to: byte_to,
    time: Date.parse(ts),
  }));
}
