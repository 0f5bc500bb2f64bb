import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldConversation } from '../../src/conversation/index.ts';
import { engineOf } from '../../src/engines/index.ts';
import { type FcmpMessage, RASP_VERSION, type RaspDraft, type RaspEvent } from '../../src/protocol/index.ts';
import { EndObserver } from '../../src/runs/completion/end-evidence.ts';
import { seededRandom } from '../support/damage-lines.ts';
import { type FutureLog, futureLog } from '../support/future-log.ts';
import { type GoldenCase, listGoldenCases } from '../support/golden-cases.ts';
import { proofSize } from '../support/proof-size.ts';
import { parserContext, readLogs } from './read-log.ts';

const CASES = listGoldenCases();
const ENGINES = [...new Set(CASES.map(({ engine }) => engine))];
const NONE: ReadonlySet<string> = new Set();

test.each(ENGINES)(
  '%s: added fields, added types of events and another order of keys change nothing but diagnostics',
  (engine) => {
    const cases = CASES.filter((one) => one.engine === engine);
    const run = fc.record({ place: fc.nat(cases.length - 1), seed: fc.integer({ min: 1, max: 2 ** 30 }) });
    fc.assert(
      fc.property(run, ({ place, seed }) => {
        const golden = cases[place]!;
        const random = seededRandom(seed);
        const stdout = futureLog(engine, golden.stdout, random);
        const stderr = futureLog(engine, golden.stderr, random);
        const added = new Set([...stdout.added, ...stderr.added]);
        expect(told(golden, stdout, stderr, added), `${golden.name}, seed ${seed}`).toEqual(
          told(golden, { log: golden.stdout, added: NONE }, { log: golden.stderr, added: NONE }, NONE),
        );
      }),
      { numRuns: proofSize({ small: cases.length, full: 100 * cases.length }), endOnFailure: true },
    );
  },
);

/** What a person and the rules of completion see of logs: the conversation, and how the engine says that it ended. */
function told(golden: GoldenCase, stdout: FutureLog, stderr: FutureLog, added: ReadonlySet<string>) {
  const { engine, attempt } = golden;
  const profile = engineOf(engine);
  const parser = profile.parser.create(parserContext(engine, { attempt, imported: true }));
  const drafts = readLogs(parser, { stdout: stdout.log, stderr: stderr.log }, golden.exit_code ?? 1);
  const observer = new EndObserver(profile);
  observer.observe(drafts);
  const { terminal, failure, errors, markers, lastMessage, sessionId, model, usage } = observer.evidence;
  return {
    conversation: withoutPlaces(foldConversation([...drafts, END].map(numbered)), added),
    end: [terminal?.detail, failure?.detail, errors.map(({ code }) => code), markers.length],
    engine: { lastMessage, sessionId, model, tokens: [usage?.input_tokens, usage?.output_tokens, usage?.total_tokens] },
  };
}

/** Lets the fold give out what it holds back until the attempt ends. */
const END = {
  ts: '2026-11-15T08:00:00.000Z',
  attempt_number: 9,
  source: { engine: 'x', parser: 'tacho', stream: null, confidence: 1 },
  event: { category: 'lifecycle', type: 'lifecycle.completion.state' },
  data: {},
  correlation: {},
  raw_ref: null,
} as unknown as RaspDraft;

function numbered(draft: RaspDraft, index: number): RaspEvent {
  return { protocol_version: RASP_VERSION, run_id: 'r', seq: index + 1, chain: '', ...draft } as RaspEvent;
}

/** Messages without diagnostics, raw output of added lines, and what depends on where bytes stand. */
function withoutPlaces(messages: readonly FcmpMessage[], added: ReadonlySet<string>): unknown[] {
  const names = new Map<string, string>();
  const steady = (name: string, value: unknown) => {
    if (!/^(message|call|interaction)_id$/.test(name) || typeof value !== 'string') return value;
    if (!names.has(value)) names.set(value, `id ${names.size}`);
    return names.get(value);
  };
  const kept = messages.filter(({ type }) => type !== 'diagnostic.warning' && !type.startsWith('raw.'));
  const raw = messages.filter(({ type }) => type.startsWith('raw.')).map(({ data }) => (data as { text: string }).text);
  const shown = kept.map(({ type, data }) => ({ type, data: JSON.parse(JSON.stringify(data, steady)) as Said }));
  const lines = raw.join('').split('\n');
  return [...joined(shown), lines.filter((line) => !added.has(line))];
}

type Said = { message_id?: string; text?: string };

/** Into how many pieces a message is cut means nothing. */
function joined(messages: { type: string; data: Said }[]): unknown[] {
  const all: typeof messages = [];
  for (const message of messages) {
    const last = all.at(-1);
    const isNext = message.type === 'assistant.message.delta' && last?.type === message.type;
    if (isNext && last.data.message_id === message.data.message_id) last.data.text += message.data.text ?? '';
    else all.push(message);
  }
  return all;
}
