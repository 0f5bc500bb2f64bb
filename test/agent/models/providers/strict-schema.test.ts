import { describe, expect, it } from 'vitest';
import { isStrictSchema } from '../../../../src/agent/models/providers/strict-schema.ts';

const text = { type: 'string' };
const object = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});

describe('isStrictSchema', () => {
  it.each([
    [undefined],
    [text],
    [object({})],
    [object({ a: text, b: object({ c: text }) })],
    [object({ list: { type: 'array', items: object({ c: text }) } })],
    [
      object(
        { either: { anyOf: [text, object({ c: text })] }, ref: { $ref: '#/$defs/x' } },
        { $defs: { x: object({}) } },
      ),
    ],
  ])('accepts what names all members as required and forbids others: %j', (schema) => {
    expect(isStrictSchema(schema)).toBe(true);
  });

  it.each([
    [object({ a: text }, { required: [] })],
    [object({ a: text }, { required: undefined })],
    [object({ a: text }, { additionalProperties: true })],
    [{ type: 'object' }],
    [{ properties: { a: text } }],
    [object({ a: { type: 'object', properties: {} } })],
    [object({ list: { type: 'array', items: { type: 'object' } } })],
    [object({ either: { anyOf: [text, { type: 'object' }] } })],
    [object({ a: text }, { $defs: { x: { type: 'object' } } })],
  ])('finds members that are optional or unknown, however deep: %j', (schema) => {
    expect(isStrictSchema(schema)).toBe(false);
  });
});
