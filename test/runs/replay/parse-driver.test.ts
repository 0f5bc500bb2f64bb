import fs from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTextParser } from '../../../src/engines/text/parser.ts';
import type { ByteRange, ExitFacts, RaspDraft } from '../../../src/protocol/index.ts';
import { ParseDriver } from '../../../src/runs/replay/parse-driver.ts';
import { replayAttempt } from '../../../src/runs/replay/replay-attempt.ts';
import { SecretMask } from '../../../src/runs/replay/secret-mask.ts';
import { startRecording, type TestRecording } from '../../recording/recording.ts';
import { proofSize } from '../../support/proof-size.ts';

const SECRETS = [
  { name: 'MY_TOKEN', value: 's3cret-value' },
  { name: 'OTHER_TOKEN', value: 's3cret-value-that-is-longer' },
];
const EXIT: ExitFacts = { exit_code: 0, signal: null, time: 0 };

type Event = { kind: 'a' | 'b'; bytes: Buffer; wait: number } | { kind: 'tick' | 'flush'; wait: number };

interface Live {
  recording: TestRecording;
  drafts: RaspDraft[];
  mode: 'split' | 'merged';
}

/** Records and parses like a run: bytes to files, then to the parser, with occasional ticks. */
function runLive(events: readonly Event[], mode: 'split' | 'merged', secrets = SECRETS): Live {
  const drafts: RaspDraft[] = [];
  const mask = new SecretMask(secrets);
  const recording = startRecording({
    mode,
    onRecorded: (chunks) => {
      for (const { stream, bytes, time } of chunks) drafts.push(...driver.push(stream, bytes, time));
    },
  });
  const origin = { pty: recording.recorder.size('pty')! };
  const parser = createTextParser({ attempt: 1, engine: 'text', origin });
  const driver = new ParseDriver(parser, mask, { ptyHeaderBytes: origin.pty });
  for (const event of events) {
    recording.clock.time += event.wait;
    if (event.kind === 'a' || event.kind === 'b')
      recording.recorder.output(mode === 'split' ? event.kind : 'a', event.bytes);
    else recording.recorder.flush();
    if (event.kind === 'tick') drafts.push(...driver.tick(recording.clock.time));
  }
  recording.recorder.close();
  drafts.push(...driver.end(EXIT));
  fs.writeFileSync(
    recording.pathOf('redactions'),
    JSON.stringify({ format: 'tacho-redactions/1', ranges: mask.ranges }),
  );
  return { recording, drafts, mode };
}

function replay({ recording, mode }: Live): RaspDraft[] {
  const { folder } = recording;
  return [
    ...replayAttempt({ folder, attempt: 1, engine: 'text', mode, createParser: createTextParser, exit: EXIT }),
  ].flat();
}

const text = fc.oneof(
  fc.constantFrom(
    'line\n',
    'a\nb\n',
    '$ ',
    's',
    's3cret',
    '-value',
    's3cret-value',
    '-that-is',
    '-longer',
    '\n',
    'é',
    '\xff',
  ),
  fc.string({ maxLength: 10 }),
  fc.constantFrom('x'.repeat(70_000), 's3cret-value '.repeat(3000)),
);
const wait = fc.constantFrom(0, 0, 1, 500, 30_000, 50_000, 50_001, 199_000, 201_000, 1_000_001);
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('a' as const, 'b' as const),
      bytes: text.map((value) => Buffer.from(value, 'latin1')),
      wait,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('tick' as const, 'flush' as const), wait }) },
);
const mode = fc.constantFrom('split' as const, 'merged' as const);

describe('replaying an attempt', () => {
  test('gives exactly the events of the live run, with the same masked secrets', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 25 }), mode, (events, capture) => {
        const live = runLive(events, capture);
        expect(replay(live)).toEqual(live.drafts);
      }),
      { numRuns: proofSize({ small: 40, full: 150 }) },
    );
  });

  test('shows no secret that arrived whole or in pieces shortly after each other', () => {
    const piece = fc.record({
      kind: fc.constant('a' as const),
      bytes: text.map((value) => Buffer.from(value, 'latin1')),
      wait: fc.constantFrom(0, 1, 500, 60_000),
    });
    const tick = fc.record({ kind: fc.constant('tick' as const), wait: fc.constant(0) });
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 4, arbitrary: piece }, { weight: 1, arbitrary: tick }), { maxLength: 25 }),
        mode,
        (events, capture) => {
          const shown = runLive(events, capture).drafts.map(({ data }) => (data as { text: string }).text);
          for (const { value } of SECRETS) expect(shown.join('')).not.toContain(value);
        },
      ),
      { numRuns: proofSize({ small: 40, full: 150 }) },
    );
  });

  test('covers every byte once', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 25 }), (events) => {
        const live = runLive(events, 'split');
        for (const stream of ['stdout', 'stderr'] as const) {
          let end = 0;
          for (const { raw_ref } of live.drafts.filter(({ source }) => source.stream === stream)) {
            expect((raw_ref as ByteRange).byte_from).toBe(end);
            end = (raw_ref as ByteRange).byte_to;
          }
          expect(end).toBe(live.recording.file(stream).length);
        }
      }),
      { numRuns: proofSize({ small: 15, full: 50 }) },
    );
  });

  test('treats bytes without an index record after a crash as read together with the last indexed ones', () => {
    const lines: Event[] = ['one\n', 'two\n', 'three\n'].map((line, index) => ({
      kind: index === 1 ? 'b' : 'a',
      bytes: Buffer.from(line),
      wait: 500_000,
    }));
    const live = runLive(lines, 'split');
    fs.truncateSync(live.recording.pathOf('chunks'), 32 + 2 * 32 + 5);
    const replayed = replay(live);
    const shown = (drafts: RaspDraft[]) => drafts.map(({ data }) => (data as { text: string }).text).sort();
    expect(shown(replayed)).toEqual(shown(live.drafts));
    expect(Date.parse(replayed.at(-1)!.ts) - Date.parse(replayed[0]!.ts)).toBe(500);
    fs.rmSync(live.recording.pathOf('chunks'));
    expect(shown(replay(live))).toEqual(['one\nthree\n', 'two\n']);
  });

  test('leaves nothing open', () => {
    const live = runLive([{ kind: 'a', bytes: Buffer.from('x\n'), wait: 1 }], 'split');
    const open = fs.readdirSync('/proc/self/fd').length;
    replay(live);
    expect(fs.readdirSync('/proc/self/fd').length).toBe(open);
  });
});

describe('ParseDriver', () => {
  const shown = (drafts: readonly RaspDraft[]) => drafts.map(({ data }) => (data as { text: string }).text).join('');
  const push = (content: string, wait: number, kind: 'a' | 'b' = 'a'): Event => ({
    kind,
    bytes: Buffer.from(content),
    wait,
  });
  const tick = (wait: number): Event => ({ kind: 'tick', wait });

  test('waits for the rest of a secret from the arrival of its beginning, however long other bytes have been held', () => {
    // Each piece ends like the secret begins, and the next one disproves it; the last one is the split secret.
    const pieces = Array.from({ length: 4 }, () => [push('no s', 40_000), tick(1)]).flat();
    const { drafts } = runLive([...pieces, push('o: s3cret-val', 40_000), tick(45_000), push('ue\n', 10_000)], 'split');
    expect(shown(drafts)).toBe(`${'no s'.repeat(4)}o: ${'*'.repeat(12)}\n`);
  });

  test('releases one stream without releasing another that still waits', () => {
    const { drafts } = runLive(
      [push('Pas', 0), push('s3cret-v', 190_000, 'b'), tick(15_000), push('alue\n', 5000, 'b')],
      'split',
    );
    expect(shown(drafts.filter(({ source }) => source.stream === 'stderr'))).toBe(`${'*'.repeat(12)}\n`);
    expect(shown(drafts.filter(({ source }) => source.stream === 'stdout'))).toBe('Pas');
  });

  test('shows the beginning of a secret shortly after it was not continued', () => {
    const mask = new SecretMask(SECRETS);
    const parser = createTextParser({ attempt: 1, engine: 'text', origin: {} });
    const driver = new ParseDriver(parser, mask, { ptyHeaderBytes: 0 });
    expect(driver.push('stdout', Buffer.from('done\nAnswer: s3'), 1_000_000)).toEqual([]);
    expect(shown(driver.tick(1_100_000))).toBe('');
    expect(shown(driver.tick(1_201_000))).toBe('done\n');
    expect(shown(driver.tick(2_300_000))).toBe('Answer: s3');
  });
});
