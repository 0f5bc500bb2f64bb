import { expect, it } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import { carryOut, dataOf, testAgent } from '../../support/agent.ts';
import { type ListedTool, smallServer, toolNamed } from './servers.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

async function toolsOf(tools: readonly ListedTool[], script = [say('Done.')], options = {}) {
  const { source } = smallServer(tools, options);
  const { events, result } = await carryOut(testAgent({ toolSources: [source], script }));
  expect(result.status).toBe('completed');
  const [listed] = dataOf(events, 'run_started')[0]!.sources!;
  return { ...listed!, results: dataOf(events, 'tool_call_finished').map(({ result: one }) => one) };
}

it('tools with hostile names get names that providers accept, each its own', async () => {
  const names = [
    '__proto__',
    'constructor',
    'a b',
    'a.b',
    'a/b',
    '\u001b[31mred',
    'x'.repeat(200),
    'ß',
    '../../etc',
    'a\nb',
  ];
  const { tools } = await toolsOf(names.map((name) => toolNamed(name)));
  expect(tools.length).toBe(names.length);
  expect(tools.every(({ name }) => NAME.test(name))).toBe(true);
  expect(new Set(tools.map(({ name }) => name)).size).toBe(names.length);
});

it('a tool with a name of its own kind can be called by it', async () => {
  const { results } = await toolsOf([toolNamed('__proto__')], [call('mcp__small____proto__', {}), say('Done.')]);
  expect(results).toMatchObject([{ ok: true, stdout: '__proto__: {}' }]);
});

it('descriptions are cut, and lose what is hidden or what a terminal obeys', async () => {
  const hidden = 'Reads\u200b a\u202e file\u001b[2J.\u{E0041}\u{E0042}\u{E0101} \ud800';
  const { tools } = await toolsOf([
    toolNamed('long', { description: 'y'.repeat(10 * 1024 * 1024) }),
    toolNamed('hidden', { description: hidden }),
    toolNamed('none', { description: undefined }),
    toolNamed('number', { description: 7 }),
  ]);
  const [long, shown, none, number] = tools.map(({ description }) => description);
  expect(long!.length).toBeLessThan(4200);
  expect(shown).toBe('Reads a file[2J. \ufffd');
  expect([none, number]).toEqual(Array(2).fill('A tool of the MCP server small, which does not describe it.'));
});

it('tools whose schemas cannot be used are left out and named, and the others stay', async () => {
  const deep = JSON.parse(`${'{"type":"object","properties":{"a":'.repeat(40)}{}${'}}'.repeat(40)}`) as object;
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`property_${n}`, { type: 'string' }]));
  const { tools, problem } = await toolsOf([
    toolNamed('good'),
    toolNamed('text', { inputSchema: 'object' }),
    toolNamed('array', { inputSchema: [] }),
    toolNamed('missing', { inputSchema: undefined }),
    toolNamed('string', { inputSchema: { type: 'string' } }),
    toolNamed('deep', { inputSchema: deep }),
    toolNamed('huge', { inputSchema: { type: 'object', properties: many } }),
    toolNamed('invalid', { inputSchema: { type: 'object', properties: { a: { type: 'nothing' } } } }),
    { name: 7 },
  ]);
  expect(tools.map(({ name }) => name)).toEqual(['mcp__small__good']);
  expect(problem).toMatch(/^"text": its schema is not an object; "array": .*; and 3 more$/s);
});

it('a schema with an expression that takes forever costs the call, not the run', async () => {
  const slow = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } };
  const script = [call('mcp__small__slow', { text: `${'a'.repeat(40)}!` }), call('mcp__small__good', {}), say('Done.')];
  const { results } = await toolsOf([toolNamed('slow', { inputSchema: slow }), toolNamed('good')], script);
  expect(results).toMatchObject([
    { error_kind: 'invalid_arguments', stderr: expect.stringContaining('cannot be checked') },
    { ok: true },
  ]);
});

it('keys of prototypes in a schema and in arguments are ordinary keys', async () => {
  const schema = JSON.parse(
    '{"type": "object", "properties": {"__proto__": {"type": "string"}, "constructor": {"type": "number"}}}',
  ) as object;
  const script = [
    call('mcp__small__odd', '{"__proto__": "x", "constructor": 1}'),
    call('mcp__small__odd', '{"constructor": "y"}'),
    say('Done.'),
  ];
  const { results } = await toolsOf([toolNamed('odd', { inputSchema: schema })], script);
  expect(results).toMatchObject([
    { ok: true, stdout: 'odd: {"__proto__":"x","constructor":1}' },
    { error_kind: 'invalid_arguments' },
  ]);
});

it('only so many tools of a server are used', async () => {
  const { tools, problem } = await toolsOf(Array.from({ length: 400 }, (_, n) => toolNamed(`tool${n}`)));
  expect(tools.length).toBe(256);
  expect(problem).toContain('more than 256 tools');
});

it('tools are chosen by their names there', async () => {
  const { tools } = await toolsOf(
    ['read_file', 'read_all', 'write_file'].map((name) => toolNamed(name)),
    [say('Done.')],
    { tools: ['read_*'] },
  );
  expect(tools.map(({ name }) => name)).toEqual(['mcp__small__read_file', 'mcp__small__read_all']);
});

it('two servers with tools of the same names do not get into each other’s way', async () => {
  const one = smallServer([toolNamed('act')], { name: 'one' });
  const other = smallServer([toolNamed('act')], { name: 'other' });
  const made = testAgent({
    toolSources: [one.source, other.source],
    script: [call('mcp__one__act', { n: 1 }), call('mcp__other__act', { n: 2 }), say('Done.')],
  });
  await carryOut(made);
  expect([one.calls(), other.calls()]).toEqual([['act {"n":1}'], ['act {"n":2}']]);
});

it('the second of two sources with the same name of a tool is left out', async () => {
  const [one, other] = [smallServer([toolNamed('act')]), smallServer([toolNamed('act'), toolNamed('more')])];
  const { events } = await carryOut(
    testAgent({ toolSources: [one.source, other.source], script: [call('mcp__small__act', {}), say('Done.')] }),
  );
  const { sources } = dataOf(events, 'run_started')[0]!;
  expect(sources).toMatchObject([
    { tools: [{ name: 'mcp__small__act' }] },
    { tools: [{ name: 'mcp__small__more' }], problem: 'mcp__small__act: another tool has this name' },
  ]);
  expect(one.calls().length).toBe(1);
});
