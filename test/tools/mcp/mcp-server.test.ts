import { expect, it } from 'vitest';
import { type McpServerOptions, mcpServer } from '../../../src/tools/mcp/index.ts';

it.each<[string, Partial<McpServerOptions>]>([
  ['a name with other characters', { name: 'a b', command: ['x'] }],
  ['a name that is too long', { name: 'a'.repeat(33), command: ['x'] }],
  ['neither command nor url', {}],
  ['both command and url', { command: ['x'], url: 'http://127.0.0.1/' }],
  ['an empty command', { command: [] }],
  ['an address of another kind', { url: 'file:///etc/passwd' }],
  ['an address with a password', { url: 'http://user:secret@127.0.0.1/' }],
  ['a token without url', { command: ['x'], token: 't' }],
  ['no time', { command: ['x'], timeoutMs: 0 }],
])('mcpServer refuses %s', (_, options) => {
  expect(() => mcpServer({ name: 'files', ...options })).toThrow(expect.objectContaining({ code: 'USAGE' }));
});

it('mcpServer starts nothing, and hides its token', () => {
  const source = mcpServer({ name: 'web', url: 'https://example.com/mcp', token: 'sesame' });
  expect(source).toMatchObject({ name: 'mcp:web', openTimeoutMs: 60_000, secrets: [{ value: 'sesame' }] });
});
