import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor, type Redactor } from '../../../src/agent/wal/index.ts';
import { secretForms } from '../../../src/agent/wal/redaction/secret-forms.ts';
import { truncateText } from '../../../src/tools/truncate-text.ts';
import { proofSize } from '../../support/proof-size.ts';

const numRuns = proofSize({ small: 100, full: 5000 });

/** Few letters, so that secrets overlap, repeat and share prefixes. */
const tightText = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', '/', ' ', '"', 'é', '\u{1f600}'), minLength, maxLength });
const anyText = (minLength: number, maxLength: number) => fc.string({ unit: 'binary', minLength, maxLength });

/** Secrets, and a text with forms of them between other texts. */
const scenes = fc
  .oneof(fc.constant(tightText), fc.constant(anyText))
  .chain((text) =>
    fc.record({ values: fc.uniqueArray(text(6, 14), { minLength: 1, maxLength: 4 }), text: fc.constant(text) }),
  )
  .chain(({ values, text }) => {
    const forms = values.filter((value) => value.length >= 6).flatMap(secretForms);
    const pieces = fc.array(fc.oneof(text(0, 8), fc.constantFrom('', ...forms)), { maxLength: 12 });
    return fc.record({
      values: fc.constant(values),
      whole: pieces.map((all) => all.join('')),
      forms: fc.constant(forms),
    });
  });

/** The text cut at these shares of its length. */
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

function cut(text: string, shares: readonly number[]): string[] {
  const at = [
    0,
    ...shares.map((share) => Math.floor(share * text.length)).sort((one, other) => one - other),
    text.length,
  ];
  return at.slice(1).map((to, index) => text.slice(at[index], to));
}

/** Names that no secret has in common with the marker. */
function redactorOf(values: readonly string[]): Redactor {
  return createRedactor(values.map((value, index) => ({ name: `N${index}`, value })));
}

const betweenMarkers = (text: string) => text.split(/\[secret N\d+\]/);

function throughStream(redactor: Redactor, pieces: readonly string[]): string[] {
  const stream = redactor.stream();
  return [...pieces.map((piece) => stream.push(piece)), stream.flush()];
}

describe('a redactor', () => {
  const value = `p@ss "w/rd' $1 ü+~`;
  const redactor = createRedactor([{ name: 'TOKEN', value }]);
  const bytes = Buffer.from(value);

  test.each([
    ['plain', value],
    ['base64', bytes.toString('base64')],
    [
      'base64 after one byte',
      Buffer.concat([Buffer.from('x'), bytes])
        .toString('base64')
        .slice(2),
    ],
    [
      'base64 after two bytes',
      Buffer.concat([Buffer.from('xy'), bytes])
        .toString('base64')
        .slice(3),
    ],
    ['base64url', bytes.toString('base64url')],
    ['URL-escaped', encodeURIComponent(value)],
    ['URL-escaped in lower case', encodeURIComponent(value).replaceAll(/%../g, (code) => code.toLowerCase())],
    ['URL-escaped as a form', new URLSearchParams({ '': value }).toString().slice(1)],
    ['JSON', JSON.stringify(value).slice(1, -1)],
    ['JSON within JSON', JSON.stringify(JSON.stringify(value)).slice(3, -3)],
    ['JSON in ASCII', JSON.stringify(value).slice(1, -1).replaceAll('ü', '\\u00fc')],
    ['single-quoted for a shell', value.replaceAll("'", `'\\''`)],
    ['double-quoted for a shell', value.replaceAll(/["$]/g, '\\$&')],
    ['hex', bytes.toString('hex')],
    ['hex in upper case', bytes.toString('hex').toUpperCase()],
  ])('masks a secret that is %s', (_, form) => {
    expect(redactor.mask(`before (${form}) after`)).toBe('before ([secret TOKEN]) after');
  });

  test('masks a secret within other text that is encoded in base64', () => {
    for (const before of ['', 'u', 'us', 'user:']) {
      for (const after of ['', '\n', '--', ' etc.']) {
        const encoded = Buffer.from(before + value + after).toString('base64');
        const masked = redactor.mask(`Basic ${encoded}`);
        expect(masked).toContain('[secret TOKEN]');
        expect(Buffer.from(masked.replace('[secret TOKEN]', '').slice(6), 'base64').toString()).not.toContain('w/rd');
      }
    }
  });

  test('masks a short secret only where it is a word of its own', () => {
    const short = createRedactor([{ name: 'PIN', value: '1234' }]);
    expect(short.mask('1234 is 1234, not 12345, x1234 or 1234_')).toBe(
      '[secret PIN] is [secret PIN], not 12345, x1234 or 1234_',
    );
    expect(throughStream(short, ['x', '12', '34', ' 12', '34'])).toEqual(['x', '', '1234', ' ', '', '[secret PIN]']);
  });

  test('ignores empty values', () => {
    const none = createRedactor([{ name: 'EMPTY', value: '' }]);
    expect(none.isEmpty).toBe(true);
    expect(none.mask('anything')).toBe('anything');
    expect(throughStream(none, ['any', 'thing'])).toEqual(['any', 'thing', '']);
  });

  test('masks values and names of members, and keeps the reference of what has not changed', () => {
    const clean = { b: [1, null, { c: 'text' }] };
    const masked = redactor.maskJson({ [`${value}!`]: true, list: [value, clean] });
    expect(masked).toEqual({ '[secret TOKEN]!': true, list: ['[secret TOKEN]', clean] });
    expect((masked.list as unknown[])[1]).toBe(clean);
    expect(redactor.maskJson(clean)).toBe(clean);
    const hex = bytes.toString('hex');
    expect(redactor.maskJson({ [value]: 1, [hex]: 2 })).toEqual({ '[secret TOKEN]': 1, '[secret TOKEN] (2)': 2 });
    const named = JSON.parse('{"__proto__":{"a":1},"x":"y"}');
    named.x = value;
    expect(JSON.stringify(redactor.maskJson(named))).toBe('{"__proto__":{"a":1},"x":"[secret TOKEN]"}');
  });

  test('counts a secret from when it is added, also in a stream that has begun', () => {
    const growing = createRedactor([{ name: 'FIRST', value: 'first-secret' }]);
    const stream = growing.stream();
    expect(stream.push('second-secret; fir')).toBe('second-secret; ');
    growing.add([{ name: 'SECOND', value: 'second-secret' }]);
    expect(stream.push('st-secret; second-sec') + stream.push('ret.') + stream.flush()).toBe(
      '[secret FIRST]; [secret SECOND].',
    );
    expect(growing.mask('second-secret')).toBe('[secret SECOND]');
  });

  test('holds back no more than what may become a secret', () => {
    const stream = redactor.stream();
    expect(stream.push('some text p@s')).toBe('some text ');
    expect(stream.push('t')).toBe('p@st');
    const repeated = createRedactor([{ name: 'A', value: 'a'.repeat(10) }]).stream();
    let released = repeated.push('a'.repeat(100));
    for (let count = 0; count < 1000; count++) released += repeated.push('a'.repeat(100));
    expect(released + repeated.push('b') + repeated.flush()).toBe('[secret A]b');
  });

  test('releases, whatever the cuts, the mask of the whole text', () => {
    fc.assert(
      fc.property(scenes, cuts, fc.array(anyText(1, 5), { maxLength: 2 }), ({ values, whole }, shares, words) => {
        const redactor = redactorOf([...values, ...words]);
        expect(throughStream(redactor, cut(whole, shares)).join('')).toBe(redactor.mask(whole));
      }),
      { numRuns },
    );
  });

  test('leaves no form of a secret, whatever the cuts', () => {
    fc.assert(
      fc.property(scenes, cuts, ({ values, whole, forms }, shares) => {
        const left = betweenMarkers(throughStream(redactorOf(values), cut(whole, shares)).join(''));
        for (const form of forms) expect(left.some((text) => text.includes(form))).toBe(false);
      }),
      { numRuns },
    );
  });

  test('leaves text without secrets unchanged', () => {
    fc.assert(
      fc.property(scenes, anyText(0, 60), cuts, ({ values, forms }, text, shares) => {
        fc.pre(!forms.some((form) => text.includes(form)));
        const redactor = redactorOf(values);
        expect(redactor.mask(text)).toBe(text);
        expect(throughStream(redactor, cut(text, shares)).join('')).toBe(text);
        const value = { [text]: [text] };
        expect(redactor.maskJson(value)).toBe(value);
      }),
      { numRuns },
    );
  });
});

describe('a text that something was left out of', () => {
  const secret = 'abcdefghijklmnopqrstuvwxyz-0123456789';
  const redactor = createRedactor([{ name: 'LONG', value: secret }]);

  test('shows no part of a secret beside the gap', () => {
    const text = `start ${'.'.repeat(60)}${secret}${'.'.repeat(60)} end`;
    for (let max = 40; max < text.length; max++) {
      const masked = redactor.mask(truncateText(text, max).text);
      expect(masked).toMatch(/^start \.+.*\n\[… \d+ characters left out …\]\n.*\.+ end$/s);
      for (let at = 0; at + 4 <= secret.length; at++) expect(masked).not.toContain(secret.slice(at, at + 4));
    }
  });

  test('is unchanged if there is none', () => {
    const text = truncateText('abc '.repeat(100), 50).text;
    expect(redactor.mask(text)).toBe(text);
  });
});
