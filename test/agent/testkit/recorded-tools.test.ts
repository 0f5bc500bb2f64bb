import { describe, expect, it } from 'vitest';
import { recordedTools } from '../../../src/agent/testkit/index.ts';
import type { ToolContext } from '../../../src/tools/context.ts';

const CONTEXT = {} as ToolContext;

describe('recordedTools', () => {
  it('answer from a table, and keep their calls', async () => {
    const tools = recordedTools({
      file_read: 'always the same',
      next: ['one', { ok: false, stderr: 'two', error_kind: 'not_found' }],
      made: (input, n) => `${n}: ${JSON.stringify(input)}`,
    });
    const [read, next, made] = tools;
    expect(tools.map(({ name }) => name)).toEqual(['file_read', 'next', 'made']);
    expect([read!.execute({ path: 'a' }, CONTEXT), read!.execute({}, CONTEXT)]).toEqual([
      'always the same',
      'always the same',
    ]);
    expect(next!.execute({}, CONTEXT)).toBe('one');
    expect(next!.execute({}, CONTEXT)).toMatchObject({ ok: false, error_kind: 'not_found' });
    expect(() => next!.execute({}, CONTEXT)).toThrow('"next" was called 3 times, but has 2 recorded answers');
    expect(await made!.execute({ x: 1 }, CONTEXT)).toBe('0: {"x":1}');
    expect(tools.calls.map(({ name }) => name)).toEqual(['file_read', 'file_read', 'next', 'next', 'next', 'made']);
    expect(tools.calls[0]).toEqual({ name: 'file_read', input: { path: 'a' } });
  });

  it('take any arguments and have no effects, unless defined otherwise', () => {
    const input = { type: 'object', properties: { path: { type: 'string' } } };
    const [plain, defined] = recordedTools(
      { plain: 'ok', defined: 'ok' },
      { defined: { input, hasEffects: true, concurrency: 'exclusive', description: 'Writes.' } },
    );
    expect(plain).toMatchObject({ parameters: { type: 'object' }, hasEffects: false, concurrency: 'shared' });
    expect(defined).toMatchObject({
      parameters: input,
      hasEffects: true,
      concurrency: 'exclusive',
      description: 'Writes.',
    });
  });
});
