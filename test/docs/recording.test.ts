import { expect, test } from 'vitest';
import { attemptFileNames } from '../../src/protocol/index.ts';
import { CHUNK_RECORD_BYTES, chunkIndexHeader, encodeChunk } from '../../src/record/index.ts';
import { readPage } from './page.ts';

const page = readPage('docs/recording.md');

test('the table of attempt files lists all of them', () => {
  const named = Array.from(section('## Attempt files').matchAll(/^\| `([^`]+\.N\.[a-z]+)` \|/gm), ([, name]) => name!);
  const known = Object.values(attemptFileNames(1)).map((name) => name.replace('.1.', '.N.'));
  expect(named.sort()).toEqual(known.sort());
});

test('a chunk record parsed by the table has the written values', () => {
  const rows = Array.from(
    section('## Chunk index').matchAll(/^\| (\d+) \| (\d+) \| (float64|uint\d+) \|/gm),
    ([, offset, bytes, type]) => ({ offset: Number(offset), bytes: Number(bytes), type: type! }),
  );
  expect(rows.map(({ offset }) => offset)).toEqual(rows.map((_, row) => sum(rows.slice(0, row))));
  expect(sum(rows)).toBe(CHUNK_RECORD_BYTES);

  const record = Buffer.alloc(CHUNK_RECORD_BYTES, 0xff);
  const ends = { input: 2 ** 40 + 1, a: 2 ** 41 + 2, b: 2 ** 42 + 3 };
  encodeChunk(
    { time: 1_794_734_706_298_864, source: 'b', length: 65_537, ends },
    new DataView(record.buffer, record.byteOffset, record.length),
    0,
  );
  const values = rows.map(({ offset, bytes, type }) =>
    type === 'float64' ? record.readDoubleLE(offset) : record.readUIntLE(offset, bytes),
  );
  expect(values).toEqual([1_794_734_706_298_864, ends.input, ends.a, ends.b, 2, 0, 65_537]);
});

test('the header of a chunk index matches the table', () => {
  const header = Buffer.from(chunkIndexHeader());
  expect(header.length).toBe(CHUNK_RECORD_BYTES);
  expect(header.toString('latin1', 0, 15)).toBe('TACHO-CHUNKS/1\n');
  expect(header.subarray(15).every((byte) => byte === 0)).toBe(true);
  expect(page).toContain('| 0 | 15 | `TACHO-CHUNKS/1` and a line feed |\n| 15 | 17 | zero |');
});

function section(heading: string): string {
  const from = page.indexOf(`${heading}\n`);
  const to = page.indexOf('\n## ', from);
  return page.slice(from, to);
}

function sum(rows: readonly { bytes: number }[]): number {
  return rows.reduce((total, { bytes }) => total + bytes, 0);
}
