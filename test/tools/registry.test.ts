import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { builtinTools, createRegistry, type Tool, tool } from '../../src/tools/index.ts';
import { call, contextFor, placeOf, workspaceWith } from './tool-context.ts';

const place = placeOf('/workspace');
const named = (name: string, more: Partial<Tool> = {}) =>
  tool({ name, description: `Does ${name}.`, input: { type: 'object' }, execute: () => name, ...more });

describe('specs', () => {
  it('have the same order, bytes and digests, whatever the order of the tools', () => {
    const tools = builtinTools({ runtime: true, skills: true });
    const one = createRegistry(tools).specs();
    const other = createRegistry(tools.toReversed()).specs();
    expect(JSON.stringify(other)).toBe(JSON.stringify(one));
    expect(one.map(({ name }) => name)).toEqual(one.map(({ name }) => name).toSorted());
    expect(one).toHaveLength(20);
  });

  it('have another digest when description or schema changes, but not when keys change places', () => {
    const digest = (description: string, input: object) =>
      createRegistry([tool({ name: 'a', description, input: input as never, execute: () => '' })]).specs()[0]!.digest;
    const first = digest('One.', { type: 'object', required: ['a'] });
    expect(digest('One.', { required: ['a'], type: 'object' })).toBe(first);
    expect(digest('Two.', { type: 'object', required: ['a'] })).not.toBe(first);
    expect(digest('One.', { type: 'object', required: ['b'] })).not.toBe(first);
  });
});

describe('prepare', () => {
  it('names the nearest tool for an unknown one', async () => {
    const registry = createRegistry([named('read_file'), named('list_dir')]);
    const rejected = await registry.prepare('readfile', { a: 1 }, place);
    expect(rejected).toMatchObject({
      ok: false,
      logged: { a: 1 },
      result: {
        error_kind: 'unknown_tool',
        stderr: 'there is no tool "readfile". Did you mean read_file? Tools are: list_dir, read_file.',
        data: { nearest: 'read_file' },
      },
    });
    const strange = await registry.prepare('constructor', {}, place);
    expect(strange).toMatchObject({ ok: false, result: { error_kind: 'unknown_tool', data: { nearest: null } } });
  });

  it('reports every violation with its JSON pointer', async () => {
    const input = z.strictObject({ list: z.array(z.strictObject({ 'a/b': z.int() })), name: z.string() });
    const registry = createRegistry([tool({ name: 'a', description: 'A.', input, execute: () => '' })]);
    const rejected = await registry.prepare('a', { list: [{ 'a/b': 'x' }, { 'a/b': 1, c: 1 }] }, place);
    expect(rejected.ok).toBe(false);
    const { result } = rejected as { result: { data: unknown; stderr: string; retryable: boolean } };
    expect(result.data).toEqual({
      violations: [
        { path: '', message: "must have required property 'name'" },
        { path: '/list/0/a~1b', message: 'must be integer' },
        { path: '/list/1', message: 'must NOT have additional properties: c' },
      ],
    });
    expect(result.stderr).toContain('- /list/0/a~1b: must be integer\n');
    expect(result.retryable).toBe(true);
  });

  it.each([[null], [[]], ['text'], [7], [undefined]])('rejects arguments that are not an object: %j', async (value) => {
    const rejected = await createRegistry([named('a')]).prepare('a', value, place);
    expect(rejected).toMatchObject({ ok: false, result: { error_kind: 'invalid_arguments' } });
  });

  it.each([
    ['2020-12', { prefixItems: [{ type: 'string' }], items: false }],
    ['draft-07', { items: [{ type: 'string' }], additionalItems: false }],
  ])('follows the draft of the schema: %s', async (draft, list) => {
    const $schema =
      draft === 'draft-07' ? 'http://json-schema.org/draft-07/schema#' : 'https://json-schema.org/draft/2020-12/schema';
    const input = { $schema, type: 'object', properties: { list: { type: 'array', ...list } } };
    const registry = createRegistry([tool({ name: 'a', description: 'A.', input, execute: () => '' })]);
    expect(await registry.prepare('a', { list: ['x'] }, place)).toMatchObject({ ok: true });
    expect(await registry.prepare('a', { list: ['x', 1] }, place)).toMatchObject({ ok: false });
  });

  it('keeps the references of each schema apart', async () => {
    const tree = (leaf: z.ZodType) => {
      const node: z.ZodType = z.strictObject({ leaf, inner: z.array(z.lazy(() => node)).optional() });
      return node;
    };
    const plain = { type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false };
    const tools = [
      tool({ name: 'text', description: 'A.', input: tree(z.string()), execute: () => '' }),
      tool({ name: 'number', description: 'A.', input: tree(z.int()), execute: () => '' }),
      tool({ name: 'plain', description: 'A.', input: plain, execute: () => '' }),
      tool({
        name: 'one',
        description: 'A.',
        input: { $id: 'https://example.com/x', type: 'object' },
        execute: () => '',
      }),
      tool({ name: 'two', description: 'A.', input: { $id: 'https://example.com/x', ...plain }, execute: () => '' }),
    ];
    const registry = createRegistry(tools as Tool[]);
    const check = async (name: string, value: unknown) => (await registry.prepare(name, value, place)).ok;
    expect(await check('text', { leaf: 'a', inner: [{ leaf: 'b' }] })).toBe(true);
    expect(await check('number', { leaf: 1, inner: [{ leaf: 2 }] })).toBe(true);
    expect(await check('plain', { next: { next: {} } })).toBe(true);
    expect(await check('plain', { next: { other: {} } })).toBe(false);
    expect(await check('text', { leaf: 'a', inner: [{ leaf: 2 }] })).toBe(false);
    expect(await check('one', { anything: 1 })).toBe(true);
    expect(await check('two', { anything: 1 })).toBe(false);
  });

  it('ends the check of an untrusted schema that would take forever', async () => {
    const input = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    const slow = tool({ name: 'a', description: 'A.', input, untrustedSchema: true, execute: () => '' });
    const rejected = await createRegistry([slow]).prepare('a', { a: `${'a'.repeat(50)}!` }, place);
    expect(rejected).toMatchObject({ ok: false, result: { error_kind: 'invalid_arguments' } });
  });

  it('rejects calls of a tool whose schema is not valid', async () => {
    const input = { type: 'object', properties: { a: { type: 'nothing' } } };
    const broken = tool({ name: 'a', description: 'A.', input, untrustedSchema: true, execute: () => '' });
    const rejected = await createRegistry([broken]).prepare('a', {}, place);
    expect(rejected).toMatchObject({ ok: false, result: { error_kind: 'unavailable' } });
  });

  it('gives actions, questions and arguments without secrets', async () => {
    const registry = createRegistry(builtinTools());
    const written = await registry.prepare('file_write', { path: 'a.txt', content: 'secret' }, place);
    expect(written).toMatchObject({
      ok: true,
      input: { path: 'a.txt', content: 'secret' },
      logged: { path: 'a.txt', content: 'digest:6' },
      actions: [{ kind: 'write', path: '/workspace/a.txt' }],
      questions: null,
    });
    const ran = await registry.prepare('shell_exec', { argv: ['env'], env: { KEY: 'secret', A: 'b' } }, place);
    expect(ran).toMatchObject({ ok: true, logged: { argv: ['env'], env: ['A', 'KEY'] } });
    expect(JSON.stringify((ran as { logged: unknown }).logged)).not.toContain('secret');
  });

  it('logs no text of invalid arguments if the tool has something to redact', async () => {
    const registry = createRegistry(builtinTools());
    const rejected = await registry.prepare('file_write', { file: 'a', content: ['secret'] }, place);
    expect(rejected).toMatchObject({ ok: false, logged: { file: 'digest:1', content: ['digest:6'] } });
  });

  it('rejects a call whose actions cannot be found out', async () => {
    const broken = named('a', {
      actions: () => {
        throw new Error('no idea');
      },
    });
    const rejected = await createRegistry([broken]).prepare('a', {}, place);
    expect(rejected).toMatchObject({
      ok: false,
      result: { error_kind: 'failed', stderr: 'a could not be prepared: no idea' },
    });
  });
});

describe('earlyActions', () => {
  it('are known as soon as the member that decides has arrived', () => {
    const registry = createRegistry(builtinTools({ runtime: true }));
    const early = (name: string, complete: object) => registry.get(name)!.earlyActions!(complete, place);
    expect(early('file_write', {})).toBeNull();
    expect(early('file_write', { path: 'a' })).toEqual([{ kind: 'write', path: '/workspace/a' }]);
    expect(early('shell_command', { cwd: 'x' })).toBeNull();
    expect(early('shell_command', { command: 'ls', cwd: 'x' })).toEqual([
      { kind: 'shell', line: 'ls', cwd: '/workspace/x' },
    ]);
    expect(early('shell_exec', { argv: ['ls'] })).toEqual([{ kind: 'program', argv: ['ls'], cwd: '/workspace' }]);
    expect(early('apply_patch', {})).toBeNull();
    const patch = '*** Begin Patch\n*** Update File: a\n*** Move to: ../b\n*** Delete File: c\n*** End Patch';
    expect(early('apply_patch', { patch })).toEqual([
      { kind: 'delete', path: '/workspace/a' },
      { kind: 'write', path: '/b' },
      { kind: 'delete', path: '/workspace/c' },
    ]);
  });
});

describe('builtinTools', () => {
  it('offers tools for skills and of a runtime only where there are any', () => {
    const names = (options: Parameters<typeof builtinTools>[0]) => builtinTools(options).map(({ name }) => name);
    expect(names({})).toHaveLength(11);
    expect(names({ skills: true })).toContain('skill_exec');
    expect(names({ runtime: true })).toContain('spawn_agent');
    expect(names({ names: ['list_dir', 'skill_ref_read'] })).toEqual(['list_dir', 'skill_ref_read']);
  });

  it('refuses unknown names, and tools of a runtime without one', () => {
    expect(() => builtinTools({ names: ['read-file'] })).toThrow(
      expect.objectContaining({ code: 'TOOL_INVALID', fix: expect.stringContaining('Did you mean read_file?') }),
    );
    expect(() => builtinTools({ names: ['wait'] })).toThrow(expect.objectContaining({ code: 'TOOL_INVALID' }));
  });

  it('shares calls that only read, and runs all others alone', () => {
    const shared = builtinTools({ skills: true, runtime: true }).filter(({ concurrency }) => concurrency === 'shared');
    expect(shared.map(({ name }) => name).toSorted()).toEqual(
      ['file_read', 'grep_files', 'list_dir', 'read_file', 'skill_ref_read', 'wait'].toSorted(),
    );
    expect(shared.every(({ hasEffects }) => !hasEffects)).toBe(true);
  });

  it('gives terminals and agents to the runtime only', async () => {
    const tools = builtinTools({ runtime: true });
    const result = await call(tools, 'wait', { agent_ids: ['a'] }, contextFor(workspaceWith()));
    expect(result).toMatchObject({ ok: false, error_kind: 'unavailable' });
  });
});
