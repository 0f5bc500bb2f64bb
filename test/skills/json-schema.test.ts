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

test('violations are listed once, in the order of the schema, with the values that are allowed', async () => {
  const check = await compileSchema({
    type: 'object',
    properties: { level: { enum: ['low', 'high'] }, version: { const: 1 } },
    required: ['summary'],
    additionalProperties: false,
    anyOf: [{ required: ['summary'] }],
  });
  const value = { level: 'none', version: 2, extra: 1 };
  const violations = [
    { path: '', message: "must have required property 'summary'" },
    { path: '', message: 'must match a schema in anyOf' },
    { path: '', message: 'must NOT have additional properties: extra' },
    { path: '/level', message: 'must be equal to one of the allowed values: ["low","high"]' },
    { path: '/version', message: 'must be equal to constant: 1' },
  ];
  const sorted = (list: object[]) => list.map((one) => JSON.stringify(one)).sort();
  expect(sorted(check(value))).toEqual(sorted(violations));
  expect(check(value)).toEqual(check(value));
});

test('violations are limited in number and length', async () => {
  const check = await compileSchema({ items: { enum: ['x'.repeat(1000)] } });
  const violations = check(Array.from({ length: 1000 }, (_, at) => at));
  expect(violations).toHaveLength(100);
  expect(violations[0]!.message.length).toBeLessThan(310);
});

test('a pause of the machine while a schema is compiled does not make it invalid', async () => {
  let asked = 0;
  const waitAt = (number: number) => ({
    type: 'object',
    get properties() {
      if (++asked === number) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
      return { name: { type: 'string' } };
    },
  });
  await compileSchema(waitAt(0));
  for (let number = asked; number > 0; number--) {
    asked = 0;
    const check = await compileSchema(waitAt(number));
    expect(check({ name: 1 })).toEqual([{ path: '/name', message: 'must be string' }]);
  }
});
