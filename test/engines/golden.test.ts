import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { foldConversation, wantsWholeText } from '../../src/conversation/index.ts';
import { engineOf } from '../../src/engines/index.ts';
import {
  outputOf,
  RASP_VERSION,
  type RaspDraft,
  type RaspEvent,
  type RunMode,
  rawText,
} from '../../src/protocol/index.ts';
import { analyzeCompletion } from '../../src/runs/completion/completion.ts';
import { EndObserver } from '../../src/runs/completion/end-evidence.ts';
import { type GoldenCase, listGoldenCases, updatingFixtures } from '../support/golden-cases.ts';
import { parserContext, readLogs } from './read-log.ts';

/**
 * What the logs of every fixture give, whole: RASP, FCMP and completion. UPDATE_FIXTURES=1 writes the files anew; what
 * changed in them is then reviewed by eye.
 */
test.each(listGoldenCases())(
  '$engine $name gives the events, the conversation and the completion in its golden files',
  (golden) => {
    const { engine, attempt, stdout, stderr, exit_code, signal } = golden;
    const profile = engineOf(engine);
    const drafts = readLogs(
      profile.parser.create(parserContext(engine, { attempt })),
      { stdout, stderr },
      exit_code ?? 1,
    );
    const events = drafts.map((draft, index) => numbered(draft, index + 1));
    const messages = foldConversation([...events, ended(events)], wholeTextsOf(events));
    const observer = new EndObserver(profile);
    observer.observe(events);
    const completionIn = (mode: RunMode) =>
      analyzeCompletion({
        exit: { exit_code, signal },
        endedByUs: golden.ended_by,
        terminalBy: profile.terminalBy,
        mode,
        markerRequired: false,
        evidence: observer.evidence,
      });
    compare(golden, 'rasp.jsonl', jsonLines(events));
    compare(golden, 'fcmp.jsonl', jsonLines(messages));
    const completion = { auto: completionIn('auto'), interactive: completionIn('interactive') };
    compare(golden, 'completion.json', `${JSON.stringify(completion, null, 2)}\n`);
  },
);

function numbered(draft: RaspDraft, seq: number): RaspEvent {
  return {
    protocol_version: RASP_VERSION,
    run_id: '20261115T080000-golden-00000000',
    seq,
    ...draft,
    chain: '',
  } as RaspEvent;
}

/** The output that events refer to. */
function wholeTextsOf(events: readonly RaspEvent[]): Map<RaspEvent, string> {
  const cut = events.filter(wantsWholeText);
  return new Map(cut.map((event) => [event, rawText(outputOf(event.data)!).text]));
}

/** Lets the fold give out what it holds back until the attempt ends. */
function ended(events: readonly RaspEvent[]): RaspEvent {
  const data = {
    state: 'completed',
    reason_code: 'GOLDEN',
    source: 'none',
    confidence: 1,
    needs_user_input: false,
    diagnostics: [],
  };
  const last = events.at(-1);
  return {
    ...numbered({} as RaspDraft, (last?.seq ?? 0) + 1),
    ts: last?.ts ?? '2026-11-15T08:00:00.000Z',
    attempt_number: last?.attempt_number ?? 1,
    source: { engine: 'golden', parser: 'tacho', stream: null, confidence: 1 },
    event: { category: 'lifecycle', type: 'lifecycle.completion.state' },
    data,
    correlation: {},
    raw_ref: null,
  } as RaspEvent;
}

function jsonLines(values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

function compare({ folder, suffix }: GoldenCase, name: string, content: string): void {
  const dot = name.lastIndexOf('.');
  const file = path.join(folder, `${name.slice(0, dot)}${suffix}${name.slice(dot)}`);
  if (updatingFixtures) fs.writeFileSync(file, content);
  expect(content).toBe(fs.readFileSync(file, 'utf8'));
}
