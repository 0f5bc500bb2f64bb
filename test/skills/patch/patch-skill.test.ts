import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DONE_MARKER, SKILL_LAYERS } from '../../../src/protocol/index.ts';
import { patchSkill, readPatch, unpatchSkill } from '../../../src/skills/index.ts';
import { proofSize } from '../../support/proof-size.ts';

type Layer = Parameters<typeof patchSkill>[1][number];

const RUNS = { numRuns: proofSize({ small: 200, full: 50_000 }) };
const LAYERS: readonly Layer[] = [
  { layer: 'artifacts', version: '1', text: '## Files you produce\n\n`/data/artifacts`' },
  { layer: 'completion', version: '2', text: `## How to finish\n\n${DONE_MARKER}` },
  { layer: 'output', version: '1.4-beta', text: '| field |\n|---|\n| `été` |' },
  { layer: 'mode', version: '1', text: 'No questions.' },
];

const layersOf = fc
  .record(Object.fromEntries(SKILL_LAYERS.map((layer) => [layer, fc.option(layerText(), { nil: undefined })])))
  .map((texts) => SKILL_LAYERS.flatMap((layer): Layer[] => (texts[layer] ? [{ layer, ...texts[layer] }] : [])));

/** Skills as people write them, and others: every piece that a patch is made of occurs in them too. */
const skill = fc
  .record({
    bom: fc.constantFrom('', '\ufeff'),
    head: fc.constantFrom(
      '',
      '---\nname: a\ndescription: b\n---\n',
      '---\r\nname: a\r\n---\r\n',
      '---\nnever closed\n',
    ),
    body: fc.array(
      fc.oneof(
        fc.constantFrom(
          '# Title',
          '```',
          '<!--',
          '-->',
          DONE_MARKER,
          `{${DONE_MARKER}}`,
          '## How to finish',
          '\r\n',
          '\n',
        ),
        fc.constantFrom(...LAYERS.map((layer) => `> ${patchSkill(Buffer.from('Another.\n'), [layer])}`)),
        fc.constantFrom(
          '<!-- tacho:layer mode version=1 bytes=0 sha256=',
          '<!-- tacho:end mode -->',
          '<!-- tacho:patch bytes=0',
        ),
        fc.string({ unit: 'grapheme' }),
      ),
      { maxLength: 8 },
    ),
    separator: fc.constantFrom('\n', '\r\n', ''),
    end: fc.constantFrom('', '\n', '\r\n', '\n\n\n', ' '),
  })
  .map(({ bom, head, body, separator, end }) => Buffer.from(`${bom}${head}${body.join(separator)}${end}`));
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const original = fc.oneof({ weight: 5, arbitrary: skill }, bytes);

describe('patchSkill', () => {
  test('is undone by unpatchSkill, byte for byte', () => {
    fc.assert(
      fc.property(original, layersOf, (text, layers) => {
        expect(unpatchSkill(patchSkill(text, layers)).equals(unpatchSkill(text))).toBe(true);
        expect(unpatchSkill(text).equals(text)).toBe(true);
      }),
      RUNS,
    );
  });

  test('gives the same bytes when it is repeated, and whatever layers were there before', () => {
    fc.assert(
      fc.property(original, layersOf, layersOf, (text, layers, earlier) => {
        const once = patchSkill(text, layers);
        expect(patchSkill(once, layers).equals(once)).toBe(true);
        expect(patchSkill(patchSkill(text, earlier), layers).equals(once)).toBe(true);
      }),
      RUNS,
    );
  });

  test('keeps every byte of the skill at the beginning, and its layers can be read', () => {
    fc.assert(
      fc.property(original, layersOf, (text, layers) => {
        const patched = patchSkill(text, layers);
        expect(patched.subarray(0, text.length).equals(text)).toBe(true);
        const found = readPatch(patched)?.layers ?? [];
        expect(found.map(({ layer, version, text }) => ({ layer, version, text: Buffer.from(text) }))).toEqual(
          layers.map(({ text, ...layer }) => ({ ...layer, text: Buffer.from(text) })),
        );
      }),
      RUNS,
    );
  });

  test('changes exactly one layer when that layer is another', () => {
    fc.assert(
      fc.property(original, layersOf, fc.constantFrom(...SKILL_LAYERS), layerText(), (text, layers, name, other) => {
        const before = readPatch(
          patchSkill(text, [
            ...layers.filter(({ layer }) => layer !== name),
            LAYERS.find(({ layer }) => layer === name)!,
          ]),
        )!;
        const after = readPatch(
          patchSkill(text, [...layers.filter(({ layer }) => layer !== name), { layer: name, ...other }]),
        )!;
        const rest = ({ layers }: typeof before) => layers.filter(({ layer }) => layer !== name);
        expect(rest(after)).toEqual(rest(before));
        expect(after.original.equals(before.original)).toBe(true);
      }),
      RUNS,
    );
  });

  test('switching the mode leaves all bytes before and after the mode layer as they are', () => {
    const text = Buffer.from('---\nname: a\n---\nBody');
    const auto = patchSkill(text, LAYERS).toString();
    const interactive = patchSkill(Buffer.from(auto), [
      ...LAYERS.slice(0, 3),
      { layer: 'mode', version: '7', text: 'Ask.' },
    ]).toString();
    const around = (patched: string) => {
      const start = patched.indexOf('\n<!-- tacho:layer mode ');
      const end = patched.indexOf('<!-- tacho:end mode -->');
      return { before: patched.slice(0, start), after: patched.slice(end) };
    };
    expect(around(interactive)).toEqual(around(auto));
    expect(interactive).not.toBe(auto);
  });

  test('puts the layers in their order, each between its fences', () => {
    expect(patchSkill(Buffer.from('Body'), [LAYERS[3]!, LAYERS[0]!]).toString()).toMatchInlineSnapshot(`
      "Body

      <!-- tacho:layer artifacts version=1 bytes=39 sha256=b829c2ab3ea96925ae51e72db86cd57c0eca85af2098a1ad9b0429c8cd67eca5 -->
      ## Files you produce

      \`/data/artifacts\`
      <!-- tacho:end artifacts -->

      <!-- tacho:layer mode version=1 bytes=13 sha256=b554f2b7f153b7a31e8bd764ed3a282989edcda7ab2fb3bd811e826a7e1ddce5 -->
      No questions.
      <!-- tacho:end mode -->
      <!-- tacho:patch bytes=4 sha256=6ccaa6415b5ee449e3c5c716f57b4608ebe3b780f5aa6b077bc5d8eee5d961f9 -->
      "
    `);
  });
});

describe('unpatchSkill', () => {
  const patched = patchSkill(Buffer.from('# Review\n'), LAYERS).toString();
  const patch = patched.slice('# Review\n'.length);

  test.each([
    ['a patch of another skill at its end', `# Another\n${patch}`],
    ['a patched skill and a line after it', `${patched}more\n`],
    ['a patched skill without the end of its last line', patched.slice(0, -1)],
    ['a patched skill with other line ends', patched.replaceAll('\n', '\r\n')],
    ['an edited layer', patched.replace('No questions.', 'Some questions')],
    ['a layer of another length', patched.replace('No questions.', 'None.')],
    ['a layer that is missing its end', patched.replace('\n<!-- tacho:end mode -->', '')],
    ['text between two layers', patched.replace('<!-- tacho:end mode -->\n', '<!-- tacho:end mode -->\nmore\n')],
    ['another version', patched.replace('version=2 ', 'version=2_ ')],
    ['a number written in another way', patched.replace('tacho:patch bytes=9 ', 'tacho:patch bytes=09 ')],
    ['no layer at all', `# Review\n${patch.slice(patch.indexOf('<!-- tacho:patch'))}`],
    ['layers in another order', `# Review\n${swapLayers(patch)}`],
    ['a length beyond its end', patched.replace('tacho:patch bytes=9 ', 'tacho:patch bytes=999999 ')],
  ])('leaves a skill alone that has %s', (_, text) => {
    expect(text).not.toBe(patched);
    expect(unpatchSkill(Buffer.from(text)).toString()).toBe(text);
    const again = patchSkill(Buffer.from(text), LAYERS);
    expect(unpatchSkill(again).toString()).toBe(text);
    expect(patchSkill(again, LAYERS).equals(again)).toBe(true);
  });

  test('removes the outer patch alone from a skill that quotes itself with its patch', () => {
    const quoting = Buffer.from(`# Review\n\n~~~\n${patched}~~~\n`);
    const twice = patchSkill(quoting, LAYERS);
    expect(unpatchSkill(twice).equals(quoting)).toBe(true);
  });

  test('ignores fences that a layer itself contains', () => {
    const layers: Layer[] = [{ layer: 'output', version: '1', text: `\n<!-- tacho:end output -->\n${patch}` }];
    const text = Buffer.from('# Review\n');
    expect(unpatchSkill(patchSkill(text, layers)).equals(text)).toBe(true);
  });
});

test('a layer that is given twice, or has a version that cannot be written, is refused', () => {
  const [first] = LAYERS;
  expect(() => patchSkill(Buffer.from('a'), [first!, first!])).toThrow('twice');
  expect(() => patchSkill(Buffer.from('a'), [{ ...first!, version: '1 -->' }])).toThrow('version');
});

function layerText() {
  return fc.record({
    version: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9.-]{0,31}$/),
    text: fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(...LAYERS.map(({ text }) => text))),
  });
}

function swapLayers(patch: string): string {
  const at = patch.indexOf('\n<!-- tacho:layer completion');
  const end = patch.indexOf('\n<!-- tacho:layer output');
  return `${patch.slice(at, end)}${patch.slice(0, at)}${patch.slice(end)}`;
}
