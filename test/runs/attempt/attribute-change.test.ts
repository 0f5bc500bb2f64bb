import { expect, test } from 'vitest';
import type { FsChange, FsEntry, RaspData } from '../../../src/protocol/index.ts';
import { attributeChange, type ObservedCall } from '../../../src/runs/attempt/correlation/attribute-change.ts';
import { targetOf } from '../../../src/runs/attempt/correlation/tool-paths.ts';

const WORKSPACE = '/work/space';
const START = Date.parse('2026-11-16T08:00:00.000Z');

function call(
  id: string,
  data: Partial<RaspData<'tool.call.started'>>,
  from = 0,
  to: number | null = 1000,
): ObservedCall {
  return {
    ...targetOf({ call_id: id, name: 'edit', ...data }, WORKSPACE),
    call_id: id,
    seq: Number(id),
    startedAt: START + from,
    endedAt: to === null ? null : START + to,
    failed: false,
  };
}

function change(name: string, writtenAt: number | null, type: FsChange['type'] = 'file'): FsChange {
  const after: FsEntry | null =
    writtenAt === null
      ? null
      : {
          path: name,
          type,
          size: 1,
          mtime_ns: String(BigInt(START + writtenAt) * 1_000_000n),
          mode: 0o644,
          sha256: null,
        };
  return { path: name, type, before: null, after, before_blob: null, after_blob: null };
}

const attribute = (changed: FsChange, ...calls: ObservedCall[]) => {
  const found = attributeChange(changed, calls, WORKSPACE);
  return found && [found.call_id, found.by, found.confidence];
};

test.each([
  ['claude', 'Write', { file_path: '/work/space/a/b.txt' }],
  ['gemini', 'write_file', { file_path: 'a/b.txt' }],
  ['opencode', 'write', { filePath: '/work/space/a/b.txt' }],
  ['codex', 'file_change', { changes: [{ path: '/work/space/a/b.txt', kind: 'add' }] }],
  ['pi', 'edit', { path: './a/b.txt', edits: [] }],
])('a path in the arguments of %s identifies the call', (_, name, given) => {
  expect(attribute(change('a/b.txt', 9000), call('1', { name, arguments: given }))).toEqual(['1', 'arguments', 0.95]);
});

test('a folder belongs to the call that wrote a file into it', () => {
  const write = call('1', { arguments: { path: 'a/b.txt' } });
  expect(attribute(change('a', 500, 'directory'), write)).toEqual(['1', 'arguments', 0.95]);
});

test('of two calls that name a path the later one counts', () => {
  const [first, second] = [
    call('1', { arguments: { path: 'x' } }),
    call('2', { arguments: { path: 'x' } }, 2000, 3000),
  ];
  expect(attribute(change('x', 500), first, second)).toEqual(['2', 'arguments', 0.95]);
});

test('reading a file does not change it', () => {
  const read = call('1', { name: 'read_file', arguments: { path: 'x' } });
  const search = call('2', { name: 'anything', kind: 'search', arguments: { path: 'x' } });
  expect(attribute(change('x', 500), read, search)).toBeNull();
});

test('a command line that names the file has higher confidence if the time matches', () => {
  const run = call('1', { name: 'bash', kind: 'command', arguments: { command: 'echo hi > out/report.md' } });
  expect(attribute(change('out/report.md', 500), run)).toEqual(['1', 'command', 0.9]);
  expect(attribute(change('out/report.md', 5000), run)).toEqual(['1', 'command', 0.6]);
  expect(attribute(change('old-report.md', 5000), run)).toBeNull();
});

test('a deleted file is attributed to the command that names it', () => {
  const run = call('1', { name: 'shell', kind: 'command', arguments: { command: ['rm', '-f', 'gone.txt'] } });
  expect(attribute(change('gone.txt', null), run)).toEqual(['1', 'command', 0.6]);
});

test('the call active when the file was written is a guess, with low confidence if there are two', () => {
  const make = call('1', { name: 'bash', kind: 'command', arguments: { command: 'make' } }, 0, 1000);
  const other = call('2', { name: 'bash', kind: 'command', arguments: { command: 'npm test' } }, 400, 2000);
  expect(attribute(change('x.o', 100), make, other)).toEqual(['1', 'time', 0.5]);
  expect(attribute(change('x.o', 500), make, other)).toEqual(['2', 'time', 0.3]);
  expect(attribute(change('x.o', 5000), make, other)).toBeNull();
});

test('arguments of any shape are read within bounds', () => {
  const deep = { a: { b: { c: { d: { e: { path: 'too-deep' } } } } } };
  expect(targetOf({ call_id: '1', name: 'x', arguments: deep }, WORKSPACE).paths).toEqual([]);
  for (const given of [null, 7, 'text', [], { path: 7 }, { command: {} }, { path: '' }]) {
    expect(targetOf({ call_id: '1', name: 'x', arguments: given }, WORKSPACE)).toMatchObject({
      paths: [],
      command: null,
    });
  }
  const many = { paths: Array.from({ length: 5000 }, (_, index) => `f${index}`) };
  expect(targetOf({ call_id: '1', name: 'x', arguments: many }, WORKSPACE).paths).toHaveLength(256);
});
