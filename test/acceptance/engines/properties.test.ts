import v8 from 'node:v8';
import vm from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findEngine } from '../../../src/engines/index.ts';
import type { OutputStream, RaspDraft } from '../../../src/protocol/index.ts';
import { type Chunk, checkDrafts, coveredBytes, parserContext, readChunks, TIME } from '../../engines/read-log.ts';
import { damageLines, seededRandom } from '../../support/damage-lines.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { listFixtures, readFixtureLog } from '../../support/fixtures.ts';
import { proofSize } from '../../support/proof-size.ts';
import { readMeta } from '../../support/real-engine.ts';
import { sandbox } from '../../support/tacho.ts';

const ENGINES = [...new Set(listFixtures().map(({ engine }) => engine))];
const fixturesOf = (engine: string) => listFixtures().filter((fixture) => fixture.engine === engine);

/** A fixture's bytes with a time for each line, the streams mixed. */
function timeline(folder: string, random: () => number): Chunk[] {
  const streams = (['stdout', 'stderr'] as const).map((stream) => ({
    stream,
    lines: linesOf(readFixtureLog(folder, stream)),
  }));
  const chunks: Chunk[] = [];
  let time = TIME;
  while (streams.some(({ lines }) => lines.length > 0)) {
    const open = streams.filter(({ lines }) => lines.length > 0);
    const { stream, lines } = open[Math.floor(random() * open.length)]!;
    time += [0, 0, 1, 30, 70, 400, 1500][Math.floor(random() * 7)]!;
    chunks.push({ stream, bytes: lines.shift()!, time });
  }
  return chunks;
}

function linesOf(log: Buffer | null): Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; log && at < log.length; ) {
    const end = log.indexOf(0x0a, at);
    const to = end < 0 ? log.length : end + 1;
    lines.push(log.subarray(at, to));
    at = to;
  }
  return lines;
}

/** The same bytes at the same times, cut otherwise. */
function recut(chunks: readonly Chunk[], random: () => number): Chunk[] {
  const cut: Chunk[] = [];
  for (const { stream, bytes, time } of chunks) {
    const last = cut.at(-1);
    if (last && last.stream === stream && last.time === time && random() < 0.5) {
      last.bytes = Buffer.concat([last.bytes, bytes]);
      continue;
    }
    for (let at = 0; at < bytes.length; ) {
      const to = Math.min(bytes.length, at + 1 + Math.floor(random() * random() * bytes.length));
      cut.push({ stream, bytes: bytes.subarray(at, to), time });
      at = to;
    }
  }
  return cut;
}

/** As a live run does: the clock ticks between the bytes, and between the last one and the end. */
function readWithTicks(engine: string, chunks: readonly Chunk[], random: () => number): RaspDraft[] {
  const parser = findEngine(engine)!.parser.create(parserContext(engine));
  const drafts: RaspDraft[] = [];
  let now = TIME;
  for (const { stream, bytes, time } of chunks) {
    for (; now < time; now += 1 + random() * 60) drafts.push(...parser.tick(now));
    now = time;
    drafts.push(...parser.tick(time), ...parser.push(stream, bytes, time));
  }
  if (random() < 0.5) for (const end = now + 3000; now < end; now += 50) drafts.push(...parser.tick(now));
  drafts.push(...parser.end({ exit_code: 0, signal: null, time: now }));
  return drafts;
}

describe('parsers give the same events however the bytes come, and survive whatever is sent to them', () => {
  describe.each(ENGINES)('%s', (engine) => {
    test('the same bytes at the same times give the same events, however they are cut and however often the clock ticks', {
      timeout: 600_000,
    }, () => {
      for (const { folder, name } of fixturesOf(engine)) {
        fc.assert(
          fc.property(fc.integer({ min: 1, max: 2 ** 30 }), (seed) => {
            const random = seededRandom(seed);
            const chunks = timeline(folder, random);
            const whole = readChunks(findEngine(engine)!.parser.create(parserContext(engine)), chunks);
            expect(readWithTicks(engine, recut(chunks, random), random), `${name}, seed ${seed}`).toEqual(whole);
            const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0);
            expect(coveredBytes(whole)).toBe(bytes);
          }),
          { numRuns: proofSize({ small: 3, full: 300 }) },
        );
      }
    });

    test('damaged lines make no parser throw, lose a byte or keep growing', { timeout: 1_200_000 }, () => {
      const wanted = proofSize({ small: 400, full: 100_000 });
      const random = seededRandom(engine.length * 7919);
      const source = fixturesOf(engine).flatMap(({ folder }) =>
        (['stdout', 'stderr'] as const).flatMap((stream) =>
          linesOf(readFixtureLog(folder, stream)).map((bytes) => ({ stream, bytes })),
        ),
      );
      const parser = findEngine(engine)!.parser.create(parserContext(engine));
      const sizes: Record<OutputStream, number> = { stdout: 0, stderr: 0, pty: 0 };
      const covered = new CoveredBytes();
      let time = TIME;
      let heapEarly = 0;
      for (let count = 0; count < wanted; count++) {
        const { stream, bytes } = damageLines(source, random);
        time += random() < 0.05 ? 1200 : random() * 40;
        sizes[stream] += bytes.length;
        take([...parser.tick(time), ...parser.push(stream, bytes, time)]);
        if (count === Math.floor(wanted / 4)) heapEarly = heapUsed();
      }
      const growth = heapUsed() - heapEarly;
      take(parser.end({ exit_code: 1, signal: null, time }));
      expect(covered.total()).toBe(sizes.stdout + sizes.stderr);
      expect(growth).toBeLessThan(64 * 1024 * 1024);

      function take(drafts: RaspDraft[]): void {
        checkDrafts(drafts);
        for (const draft of drafts) {
          JSON.stringify(draft);
          covered.add(draft);
        }
      }
    });
  });

  test('one long line is recorded whole, and what comes after it is read, while the run stays responsive', {
    timeout: 600_000,
  }, async () => {
    const bytes = proofSize({ small: 20, full: 100 }) * 1024 * 1024;
    const box = sandbox();
    const env = { ...fakeEngine('codex', 'codex-like.mjs'), CODEX_LIKE: 'long', CODEX_LIKE_BYTES: String(bytes) };
    const words = [
      'run',
      'codex',
      '--env',
      'CODEX_LIKE',
      '--env',
      'CODEX_LIKE_BYTES',
      '--no-progress-timeout',
      '60s',
      '--',
      'go',
    ];
    const { run_id, status } = await box.jsonHere(words, { env });
    expect(status).toBe('succeeded');
    const meta = readMeta(box, run_id);
    expect(meta.parse).toMatchObject({ coverage: 1 });
    expect(meta.parse!.bytes).toBeGreaterThan(bytes);
    const events = box.events(run_id);
    const finals = events.filter(({ event }) => event.type === 'agent.message.final');
    expect(finals.map(({ data }) => (data as { text: string }).text)).toEqual(['after the long line']);
    expect(events.some(({ data }) => (data as { code?: string }).code === 'LINE_TOO_LONG')).toBe(true);
  });
});

/** Coverage without keeping every range: those that follow each other are one. */
class CoveredBytes {
  readonly #spans: Record<string, { from: number; to: number }[]> = {};

  add({ raw_ref }: RaspDraft): void {
    for (const range of raw_ref === null ? [] : Array.isArray(raw_ref) ? raw_ref : [raw_ref]) {
      this.#spans[range.stream] ??= [];
      const spans = this.#spans[range.stream]!;
      spans.push({ from: range.byte_from, to: range.byte_to });
      if (spans.length > 5000) this.#spans[range.stream] = merged(spans);
    }
  }

  total(): number {
    return Object.values(this.#spans)
      .flatMap(merged)
      .reduce((sum, { from, to }) => sum + to - from, 0);
  }
}

function merged(spans: { from: number; to: number }[]): { from: number; to: number }[] {
  const result: { from: number; to: number }[] = [];
  for (const span of spans.sort((one, other) => one.from - other.from)) {
    const last = result.at(-1);
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else result.push({ ...span });
  }
  return result;
}

/** What is in use, without what is only not collected yet. */
function heapUsed(): number {
  v8.setFlagsFromString('--expose-gc');
  vm.runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
