import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ChunkIndex } from '../../src/recording/index.ts';
import {
  CHUNK_RECORD_BYTES,
  chunkCount,
  decodeChunks,
  isChunkHeader,
} from '../../studio/model/terminal/chunk-index.ts';
import { sandbox } from '../support/tacho.ts';

test('the page reads an index of chunks as the recorder wrote it', async () => {
  const box = sandbox();
  const program = 'for i in 1 2 3; do echo out $i; echo err $i >&2; sleep 0.02; done; read line';
  await box.tacho(['run', '--', 'sh', '-c', program], { input: 'typed\n' });
  const file = path.join(box.audit(), 'chunks.1.idx');
  const bytes = new Uint8Array(fs.readFileSync(file));
  const index = ChunkIndex.open(file);
  const written = [...index.chunks()];
  index.close();
  expect(isChunkHeader(bytes.subarray(0, CHUNK_RECORD_BYTES))).toBe(true);
  expect(chunkCount(bytes.length)).toBe(written.length);
  expect(decodeChunks(bytes.subarray(CHUNK_RECORD_BYTES))).toEqual(written);
  // A record that a crash cut short is not there.
  expect(decodeChunks(bytes.subarray(CHUNK_RECORD_BYTES, bytes.length - 1))).toEqual(written.slice(0, -1));
});

test('another file is not taken for one, and what a crash left of a header is', () => {
  expect(isChunkHeader(new TextEncoder().encode('TACHO-CHUNKS/2\n'))).toBe(false);
  expect(isChunkHeader(new TextEncoder().encode('TACHO-CH'))).toBe(true);
  expect(chunkCount(0)).toBe(0);
  expect(chunkCount(8)).toBe(0);
});
