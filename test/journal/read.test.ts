import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeRecord, INDEX_HEADER, RECORD_BYTES } from '../../src/journal/file/index-file.ts';
import type { ReadRange } from '../../src/journal/index.ts';
import { EVENTS_INDEX_FILE, type RaspEvent } from '../../src/protocol/index.ts';
import { proofSize } from '../support/proof-size.ts';
import {
  auditFolder,
  collect,
  draft,
  drafts,
  FIRST_TIME,
  logPath,
  openJournal,
  RUN,
  writeEvents,
} from './workspace.ts';

function naiveFilter(events: readonly RaspEvent[], range: ReadRange): RaspEvent[] {
  const { afterSeq = 0, fromTs, toTs, limit } = range;
  const selected = events.filter((event) => {
    const time = Date.parse(event.ts);
    const lateEnough = fromTs === undefined || time >= Date.parse(fromTs);
    return event.seq > afterSeq && lateEnough && (toTs === undefined || time <= Date.parse(toTs));
  });
  return selected.slice(0, limit);
}

function isoTime(offset: number): string {
  return new Date(FIRST_TIME + offset).toISOString();
}

/** Ranges over a journal whose times are between 0 and `span` ms after the first. */
function ranges(events: number, span: number): fc.Arbitrary<ReadRange> {
  const time = fc.integer({ min: -10, max: span + 10 }).map(isoTime);
  return fc.record(
    { afterSeq: fc.nat(events + 10), fromTs: time, toTs: time, limit: fc.nat(events + 10) },
    { requiredKeys: [] },
  );
}

describe('read', () => {
  test('returns exactly the events of the range in seq order, in any order of times', async () => {
    const journals = fc
      .record({ count: fc.integer({ min: 0, max: 2500 }), disorder: fc.constantFrom(0, 5, 300, 5000), seed: fc.nat() })
      .chain(({ count, disorder, seed }) =>
        fc.record({
          times: fc.constant(
            // A cheap custom generator: thousands of arbitraries per run would take minutes.
            Array.from({ length: count }, (_, n) => n * 2 + (((n + seed) * 2_654_435_761) % (disorder + 1))),
          ),
          queries: fc.array(ranges(count, count * 2 + disorder), { minLength: 5, maxLength: 15 }),
        }),
      );
    await fc.assert(
      fc.asyncProperty(journals, async ({ times, queries }) => {
        const folder = auditFolder();
        const events = await writeEvents(
          folder,
          times.map((time, n) => draft('y'.repeat(n % 50), FIRST_TIME + time)),
        );
        for (const query of queries) {
          expect(await collect(openJournal(folder).read(RUN, query))).toEqual(naiveFilter(events, query));
        }
        rmSync(folder, { recursive: true });
      }),
      { numRuns: proofSize({ small: 10, full: 30 }) },
    );
  });

  test('returns lines byte for byte as in the log', async () => {
    const folder = auditFolder();
    await writeEvents(folder, drafts(700, 'zeile ü 𝄞'));
    const lines = await collect(openJournal(folder).readLines(RUN, { afterSeq: 600, limit: 50 }));
    const written = readFileSync(logPath(folder), 'utf8').split('\n');
    expect(lines.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, n) => 601 + n));
    expect(lines.map(({ bytes }) => bytes.toString())).toEqual(written.slice(600, 650));
  });

  test('reads lines of many megabytes and the lines around them', async () => {
    const folder = auditFolder();
    const texts = ['a', 'b'.repeat(5_000_000), 'c', 'd'.repeat(70_000), 'e'];
    await writeEvents(
      folder,
      texts.map((text) => draft(text)),
    );
    const events = await collect(openJournal(folder).read(RUN));
    expect(events.map(({ data }) => (data as { text: string }).text.length)).toEqual(texts.map(({ length }) => length));
  });

  test('an empty journal, a missing journal and a limit of zero give nothing', async () => {
    const folder = auditFolder();
    expect(await collect(openJournal(folder).read(RUN))).toEqual([]);
    await writeEvents(folder, []);
    expect(await collect(openJournal(folder).read(RUN))).toEqual([]);
    await writeEvents(folder, drafts(1));
    expect(await collect(openJournal(folder).read(RUN, { limit: 0 }))).toEqual([]);
  });

  test('an invalid time is refused', async () => {
    const folder = auditFolder();
    await expect(collect(openJournal(folder).read(RUN, { fromTs: 'yesterday' }))).rejects.toMatchObject({
      code: 'USAGE',
    });
  });
});

describe('the index', () => {
  const COUNT = 3000;
  const queries: ReadRange[] = [
    {},
    { afterSeq: 1 },
    { afterSeq: 1499, limit: 3 },
    { afterSeq: COUNT - 1 },
    { afterSeq: COUNT + 5 },
    { fromTs: isoTime(900), toTs: isoTime(905) },
    { fromTs: isoTime(2990) },
    { toTs: isoTime(3) },
    { afterSeq: 2000, fromTs: isoTime(100), toTs: isoTime(2100) },
  ];

  async function sample() {
    const folder = auditFolder();
    const events = await writeEvents(
      folder,
      Array.from({ length: COUNT }, (_, n) => draft(`line ${n}`, FIRST_TIME + n + (n % 7 === 0 ? 40 : 0))),
    );
    const indexPath = join(folder, EVENTS_INDEX_FILE);
    const expected = queries.map((query) => naiveFilter(events, query).map(({ seq }) => seq));
    const answers = () =>
      Promise.all(
        queries.map(async (query) => (await collect(openJournal(folder).readLines(RUN, query))).map(({ seq }) => seq)),
      );
    return { folder, indexPath, index: readFileSync(indexPath), events, expected, answers };
  }

  test('has a record for every 256 events or 64 KiB', async () => {
    const { folder, index } = await sample();
    const records = index.length / RECORD_BYTES - 1;
    expect(records).toBeGreaterThanOrEqual(Math.floor(statSync(logPath(folder)).size / (65 * 1024)));
    expect(records).toBeGreaterThanOrEqual(Math.floor(COUNT / 256));
    expect(records).toBeLessThan(COUNT / 100);
  });

  test('may be missing, truncated, changed anywhere or garbage: answers stay the same', async () => {
    const { indexPath, index, expected, answers } = await sample();
    expect(await answers()).toEqual(expected);
    rmSync(indexPath);
    expect(await answers()).toEqual(expected);
    const damaged = fc.oneof(
      fc.nat(index.length).map((length) => index.subarray(0, length)),
      fc.tuple(fc.nat(index.length - 1), fc.integer({ min: 1, max: 255 })).map(([at, mask]) => {
        const changed = Buffer.from(index);
        changed[at]! ^= mask;
        return changed;
      }),
      fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.concat([index, bytes])),
      fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.concat([INDEX_HEADER, bytes])),
      fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(damaged, async (bytes) => {
        writeFileSync(indexPath, bytes);
        expect(await answers()).toEqual(expected);
      }),
      { numRuns: proofSize({ small: 20, full: 60 }) },
    );
  });

  test('may belong to another journal or be ahead of the log: answers stay the same', async () => {
    const { folder, indexPath, index, events, expected, answers } = await sample();
    const other = auditFolder();
    await writeEvents(other, drafts(5000, 'another'));
    copyFileSync(join(other, EVENTS_INDEX_FILE), indexPath);
    expect(await answers()).toEqual(expected);

    const sameShape = auditFolder();
    const hourLater = (event: RaspEvent) => ({
      ...event,
      ts: new Date(Date.parse(event.ts) + 3_600_000).toISOString(),
    });
    await writeEvents(sameShape, events.map(hourLater));
    copyFileSync(join(sameShape, EVENTS_INDEX_FILE), indexPath);
    expect(await answers()).toEqual(expected);

    writeFileSync(indexPath, index);
    const lines = readFileSync(logPath(folder), 'utf8').split('\n');
    writeFileSync(logPath(folder), `${lines.slice(0, 1000).join('\n')}\n`);
    const found = await collect(openJournal(folder).read(RUN, { afterSeq: 900 }));
    expect(found).toEqual(events.slice(900, 1000));
  });

  test('may be wrong about times: answers stay the same', async () => {
    const { indexPath, index, expected, answers } = await sample();
    for (let at = RECORD_BYTES; at < index.length; at += RECORD_BYTES) {
      const changed = Buffer.from(index);
      changed.writeDoubleLE(Number.NEGATIVE_INFINITY, at + 24);
      writeFileSync(indexPath, changed);
      expect(await answers()).toEqual(expected);
    }
  });

  test('may have wrong numbers in records that look valid: answers stay the same', async () => {
    const { indexPath, index, events, expected, answers } = await sample();
    for (const lie of [-100, -1, 1, 100]) {
      let seed = crc32(INDEX_HEADER);
      const records: Buffer[] = [INDEX_HEADER];
      for (let at = RECORD_BYTES; at < index.length; at += RECORD_BYTES) {
        const seq = index.readDoubleLE(at);
        const offset = index.readDoubleLE(at + 8);
        const times = { minTs: index.readDoubleLE(at + 16), maxTs: index.readDoubleLE(at + 24) };
        const record = encodeRecord({ seq: seq + lie, offset, ...times, chain: events[seq - 1]!.chain }, seed);
        records.push(record.bytes);
        seed = record.crc;
      }
      writeFileSync(indexPath, Buffer.concat(records));
      expect(await answers()).toEqual(expected);
    }
  });

  test('is repaired by the next claim', async () => {
    const { folder, indexPath, index } = await sample();
    const changed = Buffer.from(index);
    changed[RECORD_BYTES * 4]! ^= 1;
    const variants = [null, Buffer.alloc(0), index.subarray(0, RECORD_BYTES * 3 + 7), changed, Buffer.alloc(900, 7)];
    for (const variant of variants) {
      if (variant === null) rmSync(indexPath);
      else writeFileSync(indexPath, variant);
      await writeEvents(folder, []);
      expect(readFileSync(indexPath).equals(index)).toBe(true);
    }
  });

  test('is the same however the events were batched', async () => {
    const { index, events } = await sample();
    const folder = auditFolder();
    const journal = openJournal(folder);
    const { epoch } = await journal.claim(RUN);
    for (let seq = 0; seq < COUNT; seq += 7) await journal.append(RUN, epoch, seq, events.slice(seq, seq + 7));
    await journal.release(RUN, epoch);
    expect(readFileSync(join(folder, EVENTS_INDEX_FILE)).equals(index)).toBe(true);
  });
});
