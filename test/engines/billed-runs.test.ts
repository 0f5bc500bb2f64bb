import { describe, expect, test } from 'vitest';
import { engineOf } from '../../src/engines/index.ts';
import {
  RASP_VERSION,
  type RaspDraft,
  type RaspEvent,
  reportUsage,
  type UsageTally,
} from '../../src/protocol/index.ts';
import { foldEvents as foldRun } from '../../src/record/apply-event.ts';
import { foldEvents as foldModel } from '../../src/record/index.ts';
import { isOverBudget } from '../../src/runs/attempt/watchdogs.ts';
import { type BilledRun, billed, listBilledRuns, sumOf } from '../support/billed-fixtures.ts';
import { parserContext, readLogs } from './read-log.ts';

/** Engines that report usage only at the end of a turn, so that a budget ends them there. */
const BY_TURN = new Set(['codex', 'gemini']);

/** The events of a run up to the end of an attempt, with the request that begins each attempt. */
function eventsUpTo({ engine, attempts }: BilledRun, last: number): RaspEvent[] {
  let session: string | null = null;
  const drafts = attempts.slice(0, last).flatMap(({ stdout }, at) => {
    const attempt = at + 1;
    const parser = engineOf(engine).parser.create(parserContext(engine, { attempt }));
    const asked = requested(engine, attempt, session);
    const printed = readLogs(parser, { stdout });
    session = printed.findLast(({ correlation }) => correlation.session_id)?.correlation.session_id ?? session;
    return [asked, ...printed];
  });
  return drafts.map(
    (draft, at) => ({ protocol_version: RASP_VERSION, run_id: RUN_ID, seq: at + 1, chain: '', ...draft }) as RaspEvent,
  );
}

const RUN_ID = '20261115T080000-billed-00000000';

function requested(engine: string, attempt_number: number, session_id: string | null): RaspDraft {
  return {
    ts: '2026-11-15T08:00:00.000Z',
    attempt_number,
    source: { engine, parser: 'tacho', stream: null, confidence: 1 },
    event: { category: 'lifecycle', type: 'lifecycle.run.requested' },
    data: { command: [engine], cwd: '/work', session_id, mode: 'interactive' },
    correlation: {},
    raw_ref: null,
  } as unknown as RaspDraft;
}

describe.each(listBilledRuns())('three attempts of $name', (run) => {
  const bills = run.attempts.map((attempt) => attempt.bills);

  test('use what the model server billed for each, and the run uses the sum', () => {
    for (let attempt = 1; attempt <= run.attempts.length; attempt++) {
      const events = eventsUpTo(run, attempt);
      const state = foldRun(events)!;
      expect(billed(state.usage_tally?.own), `attempt ${attempt}`).toEqual(sumOf(bills[attempt - 1]!));
      expect(billed(state.usage), `up to attempt ${attempt}`).toEqual(sumOf(bills.slice(0, attempt).flat()));
      // The Studio folds the same events in the browser.
      expect(foldModel(events).usage).toEqual(state.usage);
    }
  });

  test('exceed a token budget at the call that does', () => {
    const calls = bills.flat().map((bill) => sumOf([bill]).total_tokens);
    const perTurn = bills[0]!.length;
    const upTo = (call: number) => calls.slice(0, call).reduce((total, tokens) => total + tokens, 0);
    for (let call = 1; call <= calls.length; call++) {
      const reported = BY_TURN.has(run.engine) ? Math.ceil(call / perTurn) * perTurn : call;
      expect(usedWhenOver(run, upTo(call) - 1), `before call ${call}`).toBe(upTo(reported));
    }
    expect(usedWhenOver(run, upTo(calls.length))).toBeNull();
  });
});

/** What the run had used when it exceeded the budget; null if it never did. */
function usedWhenOver(run: BilledRun, total_tokens: number): number | null {
  const events = eventsUpTo(run, run.attempts.length);
  for (const [at, event] of events.entries()) {
    const usage: UsageTally | undefined = foldRun(events.slice(0, at + 1))?.usage_tally;
    if (!usage || !isOverBudget({ drafts: [event], usage }, { total_tokens })) continue;
    const tally = reportUsage(usage, event.data as Parameters<typeof reportUsage>[1]);
    return billed(tally.before).total_tokens + billed(tally.own).total_tokens;
  }
  return null;
}
