import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldConversation } from '../../src/conversation/index.ts';
import { type EngineProfile, engineOf, readingSessions } from '../../src/engines/index.ts';
import { type FcmpMessage, RASP_VERSION, type RaspDraft, type RaspEvent } from '../../src/protocol/index.ts';
import { EndObserver } from '../../src/runs/completion/end-evidence.ts';
import { seededRandom } from '../support/damage-lines.ts';
import { type FutureLog, futureLog } from '../support/future-log.ts';
import { listGoldenCases } from '../support/golden-cases.ts';
import { proofSize } from '../support/proof-size.ts';
import { listSessionFixtures } from '../support/session-fixtures.ts';
import { parserContext, readLogs } from './read-log.ts';

interface Case {
  engine: string;
  name: string;
  profile: EngineProfile;
  attempt: number;
  stdout: Buffer;
  stderr: Buffer;
  exitCode: number;
}

/** Logs of engines, and the files that engines keep of their sessions. */
const CASES: readonly Case[] = [
  ...listGoldenCases().map((golden) => ({
    ...golden,
    profile: engineOf(golden.engine),
    exitCode: golden.exit_code ?? 1,
  })),
  ...listSessionFixtures().map(({ engine, name, format, bytes }) => ({
    engine,
    name,
    profile: readingSessions(engineOf(engine), format),
    attempt: 1,
    stdout: bytes,
    stderr: Buffer.alloc(0),
    exitCode: 0,
  })),
];
const ENGINES = [...new Set(CASES.map(({ engine }) => engine))];
const NONE: ReadonlySet<string> = new Set();

describe('added fields, added types of events and another order of keys change nothing but diagnostics', () => {
  test.each(ENGINES)('in any fixture of %s', (engine) => {
    for (const one of CASES.filter((candidate) => candidate.engine === engine)) {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 2 ** 30 }), (seed) => {
          const random = seededRandom(seed);
          const stdout = futureLog(engine, one.stdout, random);
          const stderr = futureLog(engine, one.stderr, random);
          const added = new Set([...stdout.added, ...stderr.added]);
          expect(told(one, stdout, stderr, added), `${one.name}, seed ${seed}`).toEqual(
            told(one, { log: one.stdout, added: NONE }, { log: one.stderr, added: NONE }, added),
          );
        }),
        { numRuns: proofSize({ small: 1, full: 100 }), endOnFailure: true },
      );
    }
  });
});

test('the logs of the future have fields added at every depth, events added, and keys in another order', () => {
  const events = [{ type: 'a', part: { inner: { deep: 1 } }, list: [{ z: 2 }] }, { type: 'b' }];
  const log = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  const changes = new Set<string>();
  for (let seed = 1; seed <= 200; seed++) {
    const future = futureLog('codex', log, seededRandom(seed));
    const lines = future.log.toString().trimEnd().split('\n');
    if (lines.some((line) => future.added.has(line))) changes.add('event');
    const known = lines.filter((line) => !future.added.has(line)).map((line) => JSON.parse(line) as object);
    expect(known.map((event) => withoutAdded(event, '', changes))).toEqual(events);
  }
  const places = ['', '.part', '.part.inner', '.list.0'].map((place) => `field in ${place}`);
  expect(changes).toEqual(new Set(['event', 'order', ...places]));
});

/** The value without added fields; notes where there were some, and whether keys changed places. */
function withoutAdded(value: unknown, place: string, changes: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((inner, at) => withoutAdded(inner, `${place}.${at}`, changes));
  const entries = Object.entries(value);
  const known = entries.filter(([name]) => ['type', 'part', 'inner', 'deep', 'list', 'z'].includes(name));
  if (known.length < entries.length) changes.add(`field in ${place}`);
  if (place === '' && known.length > 1 && known[0]![0] !== 'type') changes.add('order');
  return Object.fromEntries(known.map(([name, inner]) => [name, withoutAdded(inner, `${place}.${name}`, changes)]));
}

/** What a person and the rules of completion see of logs: the conversation, and how the engine says that it ended. */
function told(
  { engine, profile, attempt, exitCode }: Case,
  stdout: FutureLog,
  stderr: FutureLog,
  added: ReadonlySet<string>,
) {
  const parser = profile.parser.create(parserContext(engine, { attempt, imported: true }));
  const drafts = readLogs(parser, { stdout: stdout.log, stderr: stderr.log }, exitCode);
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
  const original = [...added].reduce((text, extra) => text.replaceAll(extra, ''), raw.join(''));
  // What is left of an added event is its line end, or the comma and bracket beside it.
  return [...joined(shown), original.split('\n').filter((line) => /[^\s,[\]]/.test(line))];
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
