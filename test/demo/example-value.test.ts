import { expect, test } from 'vitest';
import { exampleObject, exampleValue } from '../../src/demo/example-value.ts';

test.each([
  [{ type: 'string' }, 'demo'],
  [{ type: ['null', 'integer'], minimum: 5 }, 5],
  [{ type: 'number', exclusiveMinimum: 0, minimum: -9, maximum: 100 }, 1],
  [{ type: 'integer', minimum: 1, maximum: 0 }, 0],
  [{ type: 'boolean' }, false],
  [{ type: 'null' }, null],
  [{ enum: ['user', 'model'] }, 'user'],
  [{ const: 7 }, 7],
  [{ type: 'string', default: 'set' }, 'set'],
  [{ anyOf: [{ type: 'boolean' }, { type: 'string' }] }, false],
  [{ type: 'array', items: { type: 'string' } }, []],
  [{ type: 'array', items: { type: 'boolean' }, minItems: 2 }, [false, false]],
  [
    { type: 'OBJECT', properties: { title: { type: 'STRING' }, more: {} }, required: ['title'] },
    { title: 'Demo conversation' },
  ],
  [{ properties: { a: { type: 'object', required: ['b'] } }, required: ['a'] }, { a: { b: 'demo' } }],
])('the value for %j is %j', (schema, value) => {
  expect(exampleValue(schema)).toEqual(value);
});

test('a recursive schema ends', () => {
  const schema: Record<string, unknown> = { type: 'object', required: ['self'] };
  schema.properties = { self: schema };
  expect(JSON.stringify(exampleValue(schema))).toContain('null');
});

test('the number of items is limited', () => {
  expect(exampleValue({ type: 'array', minItems: 1e9, items: {} })).toHaveLength(100);
});

test('given values are kept, required ones are added, optional ones are left out', () => {
  const schema = { properties: { a: { type: 'string' }, b: { type: 'boolean' }, c: {} }, required: ['a', 'b'] };
  expect(exampleObject(schema, { a: 'mine' })).toEqual({ a: 'mine', b: false });
});
