import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { TachoError } from '../../src/protocol/index.ts';
import { createRegistry, tool } from '../../src/tools/index.ts';
import { call, contextFor, workspaceWith } from './tool-context.ts';

const plain = { name: 'echo', description: 'Echo.', execute: () => '' };
const anyObject = { type: 'object' } as const;

describe('tool', () => {
  it('infers the type of its input from a zod schema, after defaults and transformations', async () => {
    const echo = tool({
      name: 'echo',
      description: 'Echo.',
      input: z.object({ text: z.string().trim(), times: z.int().default(2) }),
      execute: ({ text, times }) => {
        expectTypeOf(text).toEqualTypeOf<string>();
        expectTypeOf(times).toEqualTypeOf<number>();
        return text.repeat(times);
      },
    });
    expect(echo.parameters).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      required: ['text'],
    });
    const result = await call([echo], 'echo', { text: ' a ' }, contextFor(workspaceWith()));
    expect(result).toMatchObject({ ok: true, stdout: 'aa', error_kind: null });
  });

  it('takes any Standard Schema that can give JSON Schema', async () => {
    const input = {
      '~standard': {
        version: 1 as const,
        vendor: 'own',
        types: undefined as { input: unknown; output: { twice: string } } | undefined,
        validate: async (value: unknown) => {
          const { text } = value as { text: string };
          if (text === 'no') return { issues: [{ message: 'must not be no', path: ['text'] }] };
          return { value: { twice: text + text } };
        },
        jsonSchema: { input: () => ({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }) },
      },
    };
    const echo = tool({ name: 'echo', description: 'Echo.', input, execute: ({ twice }) => twice });
    const context = contextFor(workspaceWith());
    expect((await call([echo], 'echo', { text: 'ab' }, context)).stdout).toBe('abab');
    const refused = await call([echo], 'echo', { text: 'no' }, context);
    expect(refused.data).toEqual({ violations: [{ path: '/text', message: 'must not be no' }] });
  });

  it('takes a plain JSON Schema, and keeps a copy of it', () => {
    const input = { type: 'object', properties: { path: { type: 'string' } } };
    const read = tool<{ path: string }>({ ...plain, input, execute: (value) => value.path });
    input.properties.path.type = 'number';
    expect(read.parameters).toEqual({ type: 'object', properties: { path: { type: 'string' } } });
    expectTypeOf(read.execute).parameter(0).toEqualTypeOf<{ path: string }>();
  });

  it('has effects and runs alone unless stated otherwise', () => {
    expect(tool({ ...plain, input: anyObject })).toMatchObject({ hasEffects: true, concurrency: 'exclusive' });
  });

  it.each([
    ['an empty name', { ...plain, name: '', input: anyObject }],
    ['a name with a dot', { ...plain, name: 'a.b', input: anyObject }],
    ['a name of 65 characters', { ...plain, name: 'a'.repeat(65), input: anyObject }],
    ['no description', { ...plain, description: ' ', input: anyObject }],
    ['no execute', { ...plain, execute: undefined, input: anyObject }],
    ['no schema', { ...plain, input: undefined }],
    ['a list as schema', { ...plain, input: [] }],
    ['a schema of text', { ...plain, input: { type: 'string' } }],
    ['a schema that is not JSON', { ...plain, input: { type: 'object', minProperties: 1n } }],
    ['a zod schema of text', { ...plain, input: z.string() }],
    ['a zod schema without JSON Schema', { ...plain, input: z.object({ when: z.date() }) }],
    ['a Standard Schema without JSON Schema', { ...plain, input: { '~standard': { validate: () => ({}) } } }],
    ['an unknown concurrency', { ...plain, concurrency: 'many', input: anyObject }],
  ])('refuses %s with TOOL_INVALID and a fix', (_, definition) => {
    const define = () => tool(definition as never);
    expect(define).toThrow(TachoError);
    expect(define).toThrow(expect.objectContaining({ code: 'TOOL_INVALID', fix: expect.any(String) }));
  });
});

describe('createRegistry', () => {
  it('refuses two tools with the same name', () => {
    const one = tool({ ...plain, input: anyObject });
    expect(() => createRegistry([one, tool({ ...plain, input: anyObject })])).toThrow(
      expect.objectContaining({ code: 'TOOL_INVALID', facts: { tool: 'echo' } }),
    );
  });
});
