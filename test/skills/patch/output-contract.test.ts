import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileSchema } from '../../../src/skills/package/json-schema.ts';
import { outputExample } from '../../../src/skills/patch/output-example.ts';
import { outputFields } from '../../../src/skills/patch/output-fields.ts';
import { isObjectSchema } from '../../../src/skills/patch/schema-shape.ts';
import { proofSize } from '../../support/proof-size.ts';

const FINDINGS = {
  type: 'object',
  required: ['findings', 'verdict'],
  additionalProperties: false,
  properties: {
    verdict: { enum: ['approve', 'reject'], description: 'Whether the change | can go in.' },
    findings: { type: 'array', minItems: 1, items: { $ref: '#/$defs/finding' } },
    labels: { type: 'array', items: { type: 'string' } },
    'two words': { anyOf: [{ type: 'number', minimum: 0, maximum: 1 }, { type: 'null' }] },
    by_file: { type: 'object', additionalProperties: { type: 'integer' } },
  },
  $defs: {
    finding: {
      type: 'object',
      required: ['file', 'place'],
      properties: {
        file: { type: 'string', description: 'Its path.' },
        place: { type: 'object', properties: { line: { type: 'integer', minimum: 1 } }, required: ['line'] },
        at: { type: 'string', format: 'date-time' },
        related: { $ref: '#/$defs/finding' },
      },
    },
  },
};

describe('outputFields', () => {
  test('lists nested fields with types, limits and descriptions, and says where a schema repeats itself', () => {
    expect(outputFields(FINDINGS)).toMatchInlineSnapshot(`
      "| field | type | required | |
      |---|---|---|---|
      | the result | object, without other fields | yes |  |
      | \`verdict\` | one of \`"approve"\`, \`"reject"\` | yes | Whether the change \\| can go in. |
      | \`findings\` | array of object, at least 1 item | yes |  |
      | \`findings[]\` | object |  |  |
      | \`findings[].file\` | string | yes | Its path. |
      | \`findings[].place\` | object | yes |  |
      | \`findings[].place.line\` | integer, at least 1 | yes |  |
      | \`findings[].at\` | string, format date-time | no |  |
      | \`findings[].related\` | object, of the same kind as the one it is in | no |  |
      | \`labels\` | array of string | no |  |
      | \`["two words"]\` | number or null, at least 0, at most 1 | no |  |
      | \`by_file\` | object | no |  |
      | \`by_file.<name>\` | integer | no |  |"
    `);
  });

  test('lists variants of a value', () => {
    const schema = {
      oneOf: [
        { type: 'object', properties: { ok: { const: true } }, required: ['ok'] },
        { type: 'object', properties: { error: { type: 'string', pattern: '^a|b$' } }, required: ['error'] },
      ],
    };
    expect(outputFields(schema)).toMatchInlineSnapshot(`
      "| field | type | required | |
      |---|---|---|---|
      | the result | one of 2 variants | yes |  |
      | the result | object | variant 1 |  |
      | \`ok\` | \`true\` | yes |  |
      | the result | object | variant 2 |  |
      | \`error\` | string, matching \`^a\\|b$\` | yes |  |"
    `);
  });

  test('keeps names and descriptions from breaking the table', () => {
    const schema = {
      properties: {
        'a`b|c\n\u001b[2J': { type: 'string', description: 'one\n| two |\u202e\n<!-- tacho:end output -->' },
      },
    };
    const lines = outputFields(schema).split('\n');
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(line.replaceAll('\\|', '').match(/\|/g)).toHaveLength(5);
  });
});

describe('outputExample', () => {
  test.each([
    ['an object with references', FINDINGS],
    [
      'an array of tuples',
      { type: 'array', minItems: 2, items: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } },
    ],
    [
      'texts with formats and lengths',
      {
        type: 'object',
        required: ['day', 'mail', 'id', 'code'],
        properties: {
          day: { type: 'string', format: 'date' },
          mail: { type: 'string', format: 'email' },
          id: { type: 'string', format: 'uuid' },
          code: { type: 'string', minLength: 4, maxLength: 4 },
        },
      },
    ],
    [
      'numbers with limits',
      {
        type: 'object',
        required: ['a', 'b', 'c'],
        properties: {
          a: { type: 'integer', exclusiveMinimum: 3 },
          b: { type: 'number', maximum: -2 },
          c: { type: 'integer', minimum: 7, multipleOf: 5 },
        },
      },
    ],
    [
      'parts joined by allOf',
      {
        allOf: [{ $ref: '#/definitions/a' }, { required: ['b'], properties: { b: { type: 'boolean' } } }],
        definitions: { a: { type: 'object', required: ['a'], properties: { a: { type: ['null', 'string'] } } } },
      },
    ],
    [
      'values that the schema states',
      { type: 'object', properties: { a: { type: 'string', examples: ['x'] }, b: { default: 3 } } },
    ],
  ])('is valid for %s', async (_, schema) => {
    const check = await compileSchema(schema);
    expect(check(outputExample(schema))).toEqual([]);
  });

  test('ends the recursion of a schema', () => {
    expect(outputExample(FINDINGS)).toMatchObject({
      findings: [{ file: '…', place: { line: 1 }, at: '2026-01-31T12:00:00Z' }],
    });
    expect(outputExample({ $ref: '#' })).toBe('…');
    expect(outputExample({ anyOf: [{ $ref: '#' }, { type: 'array', items: { $ref: '#' } }] })).toBeDefined();
  });
});

describe('hostile schemas', () => {
  const reference = fc.constantFrom(
    '#',
    '#/$defs/a',
    '#/$defs/b',
    '#/nowhere',
    'https://example.org/x',
    '#/%',
    '#/__proto__',
  );
  const tree = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.boolean(),
      fc.jsonValue({ maxDepth: 1 }),
      fc.record(
        {
          $ref: reference,
          type: fc.constantFrom('object', 'array', 'string', 'number', ['string', 'null'], 7),
          properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor', '| `'), tie('schema')),
          items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 3 })),
          anyOf: fc.array(tie('schema'), { maxLength: 3 }),
          allOf: fc.array(tie('schema'), { maxLength: 3 }),
          additionalProperties: tie('schema'),
          minItems: fc.constantFrom(0, 2, 1e9, -1),
          minLength: fc.constantFrom(0, 1e9, -1),
          minimum: fc.double(),
          multipleOf: fc.constantFrom(0, 1e-300, -1, 5),
          enum: fc.constantFrom([], ['a'], 'a', null),
          required: fc.constantFrom(['a'], 'a', [null]),
          description: fc.constantFrom('text', 5, null),
        },
        { requiredKeys: [] },
      ),
    ),
  })).schema;

  test('give a bounded table and example, and never an error', () => {
    fc.assert(
      fc.property(tree, tree, tree, (schema, a, b) => {
        const root = typeof schema === 'object' ? { ...schema, $defs: { a, b } } : schema;
        expect(outputFields(root).length).toBeLessThan(100_000);
        expect(JSON.stringify(outputExample(root))?.length ?? 0).toBeLessThan(20_000);
        expect(typeof isObjectSchema(root)).toBe('boolean');
      }),
      { numRuns: proofSize({ small: 100, full: 20_000 }) },
    );
  });

  test('with a tree of references that doubles at each level are cut', () => {
    const level = (next: string) => ({
      type: 'object',
      required: ['l', 'r'],
      properties: { l: { $ref: next }, r: { $ref: next } },
    });
    const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`d${n}`, level(`#/$defs/d${n + 1}`)]));
    const schema = { ...level('#/$defs/d0'), $defs };
    expect(outputFields(schema).split('\n').length).toBeLessThan(100);
    expect(JSON.stringify(outputExample(schema)).length).toBeLessThan(20_000);
  });
});

test('isObjectSchema tells whether a result is always an object', () => {
  const objects = [
    FINDINGS,
    { properties: {} },
    { $ref: '#/x', x: { type: 'object' } },
    { oneOf: [{ type: 'object' }, { required: ['a'] }] },
  ];
  const others = [
    {},
    true,
    undefined,
    { type: ['object', 'null'] },
    { type: 'array' },
    { anyOf: [{ type: 'object' }, { type: 'string' }] },
  ];
  expect(objects.map((schema) => isObjectSchema(schema))).toEqual(objects.map(() => true));
  expect(others.map((schema) => isObjectSchema(schema))).toEqual(others.map(() => false));
});
