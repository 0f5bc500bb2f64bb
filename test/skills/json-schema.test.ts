import { expect, test } from 'vitest';
import { compileSchema } from '../../src/skills/package/json-schema.ts';

test.each([undefined, 'https://json-schema.org/draft/2020-12/schema'])(
  'violations have a pointer: %s',
  async ($schema) => {
    const check = await compileSchema({
      $schema,
      type: 'object',
      properties: { 'a/b': { type: 'array', items: { type: 'integer' } } },
    });
    expect(check({ 'a/b': [1, 'two', 3.5] })).toEqual([
      { path: '/a~1b/1', message: 'must be integer' },
      { path: '/a~1b/2', message: 'must be integer' },
    ]);
    expect(check({ 'a/b': [] })).toEqual([]);
  },
);

test.each<[string, object, unknown]>([
  ['a regular expression that backtracks', { pattern: '^(a+)+$' }, `${'a'.repeat(50)}b`],
  ['a recursion without end', { $ref: '#' }, 1],
])('%s ends as a violation', async (_, schema, value) => {
  const check = await compileSchema(schema);
  expect(check(value)).toEqual([{ path: '', message: expect.stringMatching(/^cannot be checked: /) }]);
});
