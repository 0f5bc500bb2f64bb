import fc from 'fast-check';
import { expect, test } from 'vitest';
import { summarizeToolCall } from '../../src/conversation/tool-summary.ts';
import { type ToolKind, toolKindSchema } from '../../src/protocol/index.ts';

test.each<[ToolKind | undefined, unknown, string]>([
  ['command', { command: 'npm test', description: 'Run the tests' }, 'npm test'],
  ['command', { command: `/bin/bash -lc 'mkdir a && echo "hi" > a/b'` }, 'mkdir a && echo "hi" > a/b'],
  ['command', { command: `bash -lc "echo \\"it's\\" \\$HOME"` }, `echo "it's" $HOME`],
  ['command', { command: `/bin/zsh -c 'it'\\''s'` }, `it's`],
  ['command', { command: 'bash -lc ls' }, 'ls'],
  ['command', { command: `bash -c 'ls' arg0` }, `bash -c 'ls' arg0`],
  ['command', { command: `bash -c 'unended` }, `bash -c 'unended`],
  ['command', { command: `bash script.sh -c 'x'` }, `bash script.sh -c 'x'`],
  ['command', { command: ['/bin/bash', '-lc', 'ls | wc'] }, 'ls | wc'],
  ['command', { cmd: ['git', 'status'] }, 'git status'],
  ['command', 'ls', 'ls'],
  ['command', { command: 'cat <<E\n  one\r\n\ttwo\nE\n' }, 'cat <<E one two E'],
  ['command', { command: 7 }, 'command: 7'],
  ['file', { file_path: 'src/a.ts', content: 'x' }, 'src/a.ts'],
  ['file', { filePath: 'src/a.ts' }, 'src/a.ts'],
  ['file', { paths: ['a', 'b'] }, 'a, b'],
  [
    'file',
    {
      changes: [{ path: 'a.ts', kind: 'add' }, { path: 'b.ts', kind: { type: 'update' } }, { path: 'c' }],
    },
    'add a.ts, update b.ts, c',
  ],
  ['file', { changes: { 'a.ts': { type: 'delete' }, 'b.ts': null } }, 'delete a.ts, b.ts'],
  ['file', { changes: [null, 3] }, 'changes: [null, 3]'],
  ['search', { query: 'node 20 release date' }, 'node 20 release date'],
  ['search', { pattern: 'TODO', path: 'src' }, 'TODO'],
  ['search', { query: '', action: { type: 'open_page', url: 'https://example.org' } }, 'https://example.org'],
  ['mcp', { server: 'github', arguments: { owner: 'x' } }, 'github.tool_name'],
  ['mcp', { server: 'github', tool: 'list_issues' }, 'github.list_issues'],
  ['agent', { description: 'Review the change', prompt: 'Please…' }, 'Review the change'],
  [
    'other',
    { url: 'https://a', depth: 2, deep: { list: [1, 'b', { x: null }] } },
    'url: https://a, depth: 2, deep: {list: [1, b, …]}',
  ],
  ['other', ['a', 1], 'a, 1'],
  ['other', 'plain', 'plain'],
  [undefined, { command: 'ls', timeout: 3 }, 'ls'],
  [undefined, { pattern: 'x', path: 'y' }, 'pattern: x, path: y'],
  [undefined, undefined, 'tool_name'],
  ['command', {}, 'tool_name'],
  ['file', null, 'tool_name'],
])('a %s call with %j is summarized as %j', (kind, args, summary) => {
  expect(summarizeToolCall({ name: 'tool_name', kind, arguments: args })).toBe(summary);
});

test('the server of an MCP tool is taken from its name if it is not given elsewhere', () => {
  expect(summarizeToolCall({ name: 'mcp__github__list_issues', kind: 'mcp', arguments: { owner: 'x' } })).toBe(
    'github.list_issues',
  );
});

test('a long summary is truncated between characters and marked', () => {
  expect(summarizeToolCall({ name: 'x', kind: 'command', arguments: { command: 'a'.repeat(160) } })).toHaveLength(160);
  const cut = summarizeToolCall({ name: 'x', kind: 'command', arguments: { command: `${'a'.repeat(158)}😀😀` } });
  expect(cut).toBe(`${'a'.repeat(158)}…`);
  const indented = `${' '.repeat(5000)}ls`;
  expect(summarizeToolCall({ name: 'x', kind: 'command', arguments: { command: indented } })).toBe('ls');
});

test('a summary of any arguments is one short line', () => {
  const kinds = fc.constantFrom(undefined, ...toolKindSchema.options);
  const fields = fc.constantFrom('command', 'changes', 'path', 'query', 'action', 'server', 'tool', 'kind', 'type');
  const odd = fc.anything({
    key: fc.oneof(fields, fc.string()),
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSparseArray: true,
    withTypedArray: true,
  });
  fc.assert(
    fc.property(kinds, odd, fc.string({ minLength: 1 }), (kind, args, name) => {
      const summary = summarizeToolCall({ name, kind, arguments: args });
      expect(summary.length).toBeLessThanOrEqual(160);
      expect(summary).not.toMatch(/[\u0000-\u001f\u2028\u2029]/);
    }),
  );
});

test('a circular structure has a summary', () => {
  const circle: Record<string, unknown> = { a: 1 };
  circle.self = circle;
  expect(summarizeToolCall({ name: 'x', arguments: circle })).toBe('a: 1, self: {a: 1, self: {a: 1, self: …}}');
});

test('megabytes of arguments are not read completely', () => {
  const files = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`f${at}`, 'x'.repeat(10_000)]));
  const summary = summarizeToolCall({ name: 'x', kind: 'other', arguments: { files } });
  expect(summary).toHaveLength(160);
  expect(summary.endsWith('…')).toBe(true);
});
