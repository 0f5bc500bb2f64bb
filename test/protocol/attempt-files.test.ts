import { expect, test } from 'vitest';
import {
  attemptFileNames,
  fsDiffSchema,
  fsSnapshotSchema,
  metaSchema,
  redactionsSchema,
  sealSchema,
  tracedWriteSchema,
} from '../../src/protocol/index.ts';
import { meta, SHA256, seal } from './samples.ts';

test('every file of an attempt has its number, and all names are different', () => {
  const names = Object.values(attemptFileNames(12));
  for (const name of names) expect(name).toMatch(/^[a-z-]+\.12\.(json|jsonl|log|idx)$/);
  expect(new Set(names).size).toBe(names.length);
});

test('valid meta and seal are accepted', () => {
  expect(metaSchema.parse(meta)).toEqual(meta);
  expect(sealSchema.parse(seal)).toEqual(seal);
});

test('the fields of a seal are in the order of its schema, which is signed', () => {
  const { signature, ...content } = seal;
  const shuffled = { signature, ...Object.fromEntries(Object.entries(content).reverse()) };
  expect(JSON.stringify(sealSchema.parse(shuffled))).toBe(JSON.stringify(seal));
});

test.each([
  ['of a later format', { format: 'tacho-meta/2' }],
  ['with an unknown field', { surprise: 1 }],
  ['with more than all bytes covered', { parse: { ...meta.parse, coverage: 1.01 } }],
  ['with an unknown capture mode', { capture: { ...meta.capture, mode: 'pipe' } }],
  ['without an end', { ended_at: null }],
])('a meta %s is refused', (_, change) => {
  expect(metaSchema.safeParse({ ...meta, ...change }).success).toBe(false);
});

test.each([
  ['of a later format', { format: 'tacho-seal/2' }],
  ['with a truncated hash', { chain: { seq: 9, head: SHA256.slice(1) } }],
  ['of another algorithm', { key: { ...seal.key, algorithm: 'rsa' } }],
  ['without a signature', { signature: undefined }],
])('a seal %s is refused', (_, change) => {
  expect(sealSchema.safeParse({ ...seal, ...change }).success).toBe(false);
});

test('snapshots and diffs list what could not be read', () => {
  const file = { path: 'a.txt', type: 'file', size: 3, mtime_ns: '1', mode: 420, sha256: SHA256 };
  const unread = { path: 'b', type: 'file', size: 3, mtime_ns: '1', mode: 0, sha256: null, error: 'EACCES' };
  const snapshot = {
    format: 'tacho-fs-snapshot/1',
    root: '/work',
    taken_at: '2026-11-15T08:30:00.000Z',
    ignored: ['node_modules'],
    entries: [file, unread],
  };
  expect(fsSnapshotSchema.parse(snapshot)).toEqual(snapshot);
  const change = { path: 'a.txt', type: 'file', before: null, after: file, before_blob: null, after_blob: SHA256 };
  const diff = {
    format: 'tacho-fs-diff/1',
    created: [change],
    modified: [],
    deleted: [],
    unreadable: [{ path: 'b', error: 'EACCES' }],
  };
  expect(fsDiffSchema.parse(diff)).toEqual(diff);
  expect(fsDiffSchema.safeParse({ ...diff, created: [{ ...change, after: undefined }] }).success).toBe(false);
});

test('masked ranges name the variable, never the value; input is not masked', () => {
  const ranges = [{ stream: 'stdout', byte_from: 13, byte_to: 25, name: 'MY_TOKEN' }];
  const redactions = { format: 'tacho-redactions/1', ranges };
  expect(redactionsSchema.parse(redactions)).toEqual(redactions);
  expect(redactionsSchema.safeParse({ ...redactions, ranges: [{ ...ranges[0], value: 's' }] }).success).toBe(false);
  expect(redactionsSchema.safeParse({ ...redactions, ranges: [{ ...ranges[0], stream: 'stdin' }] }).success).toBe(
    false,
  );
});

test('a traced write belongs to a process and a stream', () => {
  const write = { time: 1.5, pid: 7, command: 'make', stream: 'stderr', byte_from: 0, byte_to: 4 };
  expect(tracedWriteSchema.parse(write)).toEqual(write);
  expect(tracedWriteSchema.safeParse({ ...write, pid: 0 }).success).toBe(false);
  expect(tracedWriteSchema.safeParse({ ...write, stream: 'pty' }).success).toBe(false);
});
