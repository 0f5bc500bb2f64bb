import { describe, expect, test } from 'vitest';
import { TachoError } from '../../src/protocol/index.ts';
import { emptyDraft, valueOfDraft } from '../../studio/model/skills/schema-draft.ts';
import { type SchemaField, schemaField } from '../../studio/model/skills/schema-field.ts';
import { problemsByField, violationsOf } from '../../studio/model/skills/violations.ts';

const REVIEW = {
  type: 'object',
  required: ['diff', 'rules'],
  properties: {
    diff: { type: 'string', description: 'The diff to review.' },
    title: { type: 'string', title: 'Title', maxLength: 80 },
    depth: { type: 'integer', default: 2 },
    weight: { type: 'number' },
    strict: { type: 'boolean' },
    level: { enum: ['low', 'high', 3] },
    author: { $ref: '#/$defs/person' },
    rules: { type: 'array', items: { type: 'string' } },
    extra: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  },
  $defs: {
    person: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, 'e/mail': { type: 'string', format: 'email' } },
    },
  },
};

/** The kinds of all fields, by name. */
function kinds(field: SchemaField): unknown {
  if (field.kind === 'object') return Object.fromEntries(field.fields.map((one) => [one.name, kinds(one)]));
  return field.kind === 'list' ? [kinds(field.item)] : field.kind;
}

describe('the form of a schema', () => {
  test('has a field of its own kind for each property', () => {
    const field = schemaField(REVIEW);
    expect(kinds(field)).toEqual({
      diff: 'text',
      title: 'text',
      depth: 'number',
      weight: 'number',
      strict: 'boolean',
      level: 'choice',
      author: { name: 'text', 'e/mail': 'text' },
      rules: ['text'],
      extra: 'json',
    });
    expect(field.kind === 'object' && field.fields.slice(0, 3)).toMatchObject([
      { label: 'diff', hint: 'The diff to review.', isRequired: true, multiline: true },
      { label: 'Title', isRequired: false, multiline: false },
      { whole: true, preset: 2 },
    ]);
  });

  test.each<[string, unknown]>([
    ['no schema', undefined],
    ['true', true],
    ['an empty schema', {}],
    ['several types', { type: ['string', 'number'] }],
    ['names of any kind', { type: 'object', additionalProperties: { type: 'string' } }],
    ['items of any kind', { type: 'array' }],
    ['a reference to another document', { $ref: 'https://example.com/a.json' }],
    ['a reference to nothing', { $ref: '#/$defs/gone' }],
    ['a reference to itself', { $ref: '#' }],
    ['a circle of references', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }],
  ])('asks for JSON with %s', (_, schema) => {
    expect(kinds(schemaField(schema))).toBe('json');
  });

  test('ends where a definition contains itself', () => {
    const tree = { type: 'object', properties: { name: { type: 'string' }, inner: { $ref: '#/$defs/tree' } } };
    const field = JSON.stringify(kinds(schemaField({ $ref: '#/$defs/tree', $defs: { tree } })));
    expect(field).toContain('"inner":"json"');
  });
});

describe('a draft', () => {
  const field = schemaField(REVIEW);
  const begun = emptyDraft(field) as Record<string, never>;

  test('begins with the defaults, and misses what is required', () => {
    expect(begun).toEqual({
      diff: '',
      title: '',
      depth: '2',
      weight: '',
      strict: '',
      level: '',
      author: { name: '', 'e/mail': '' },
      rules: [],
      extra: '',
    });
    expect(valueOfDraft(field, begun)).toEqual({ value: { depth: 2, rules: [] }, mistakes: { '/diff': 'needed' } });
  });

  test('has the values as their types', () => {
    const filled = {
      ...begun,
      diff: '-a\n+b',
      weight: '0.5',
      strict: 'false',
      level: '2',
      author: { name: 'Ann', 'e/mail': '' },
      rules: ['one', 'two'],
      extra: '{"a": [1]}',
    };
    expect(valueOfDraft(field, filled)).toEqual({
      value: {
        diff: '-a\n+b',
        depth: 2,
        weight: 0.5,
        strict: false,
        level: 3,
        author: { name: 'Ann' },
        rules: ['one', 'two'],
        extra: { a: [1] },
      },
      mistakes: {},
    });
  });

  test('names mistakes by the place of their fields', () => {
    const wrong = {
      ...begun,
      diff: 'x',
      depth: '1.5',
      weight: 'much',
      author: { name: '', 'e/mail': 'a@b.c' },
      rules: ['', 'two'],
      extra: '{',
    };
    expect(valueOfDraft(field, wrong).mistakes).toEqual({
      '/depth': 'notWhole',
      '/weight': 'notNumber',
      '/author/name': 'needed',
      '/rules/0': 'needed',
      '/extra': 'notJson',
    });
  });

  test('of nothing is nothing, and a required box that is not checked is false', () => {
    expect(valueOfDraft({ ...schemaField(undefined), isRequired: false }, '')).toEqual({
      value: undefined,
      mistakes: {},
    });
    expect(valueOfDraft(schemaField({ type: 'boolean' }), '')).toEqual({ value: false, mistakes: {} });
  });
});

describe('violations that the server reports', () => {
  test('are shown at their fields, or at the one around them', () => {
    const violation = (path: string, message: string) => ({ field: 'input' as const, path, message });
    const problems = problemsByField(schemaField(REVIEW), [
      violation('', "must have required property 'diff'"),
      violation('/author', "must have required property 'name'"),
      violation('/author/e~1mail', 'must match format "email"'),
      violation('/rules/1', 'must be string'),
      violation('/extra/deep/1', 'must be number'),
      violation('/extra', 'must match a schema in anyOf'),
      violation('', 'must NOT have additional properties: other'),
      violation('', "must have required property 'hidden'"),
    ]);
    expect(problems).toEqual({
      '/diff': 'is required',
      '/author/name': 'is required',
      '/author/e~1mail': 'must match format "email"',
      '/rules/1': 'must be string',
      '/extra': 'must be number; must match a schema in anyOf',
      '': "must NOT have additional properties: other; must have required property 'hidden'",
    });
  });

  test('are those of INPUT_INVALID alone', () => {
    const violations = [{ field: 'input', path: '/a', message: 'must be string' }];
    expect(violationsOf(new TachoError('INPUT_INVALID' as never, 'x', { facts: { violations } }))).toEqual(violations);
    expect(violationsOf(new TachoError('INPUT_INVALID' as never, 'x'))).toBeNull();
    expect(violationsOf(new TachoError('SKILL_UNKNOWN', 'x', { facts: { violations } }))).toBeNull();
  });
});
