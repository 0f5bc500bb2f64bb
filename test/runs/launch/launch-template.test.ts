import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type LaunchValues,
  renderTemplate,
  renderText,
  renderWords,
} from '../../../src/runs/launch/launch-template.ts';

const NAMES = ['prompt', 'session', 'model', 'base_url', 'format', 'workspace', 'home'] as const;

function values(some: Partial<LaunchValues> = {}): LaunchValues {
  const none = { prompt: null, session: null, model: null, base_url: null, format: null, mode: null, approvals: '' };
  return { ...none, workspace: '/workspace', home: '/home', ...some };
}

/** What would hurt if it were read once more: by us, by a pattern, or by a shell. */
const nasty = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(...NAMES.map((name) => `{${name}}`), '{model|other}', '$&', '$1', "$'", '$`'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('a b', '\n', '"', "'", '\\', '--', '-c', '{', '}', '$(id)', '`id`', '*', ''),
  },
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const text = fc.array(nasty, { maxLength: 5 }).map((parts) => parts.join(''));
const given: fc.Arbitrary<LaunchValues> = fc.record({
  prompt: fc.option(text),
  session: fc.option(text),
  model: fc.option(text),
  base_url: fc.option(text),
  format: fc.option(text),
  mode: fc.option(text),
  approvals: text,
  workspace: text,
  home: text,
});

describe('a value in a template', () => {
  test('stands there as it is, whatever it holds', () => {
    fc.assert(
      fc.property(given, fc.constantFrom(...NAMES), (all, name) => {
        const value = all[name] ?? '';
        expect(renderText(`{${name}}`, all)).toBe(value);
        expect(renderText(`--a="{${name}}"{${name}}`, all)).toBe(`--a="${value}"${value}`);
        expect(renderText(`{${name}|instead}`, all)).toBe(all[name] ?? 'instead');
        expect(renderTemplate({ [`<{${name}}>`]: [`{${name}}`] }, all)).toEqual({ [`<${value}>`]: [value] });
      }),
    );
  });

  test('is one argument, however many words it has', () => {
    fc.assert(
      fc.property(given, (all) => {
        const template = [
          'exec',
          '{prompt}',
          '--prompt={prompt}',
          { when: 'model', words: ['--model', '{model}'] },
          '{session}',
        ];
        expect(renderWords(template, all, [])).toEqual([
          'exec',
          all.prompt ?? '',
          `--prompt=${all.prompt ?? ''}`,
          ...(all.model === null ? [] : ['--model', all.model]),
          all.session ?? '',
        ]);
      }),
    );
  });

  test('is cut only where the template says so, and the pieces are no templates either', () => {
    fc.assert(
      fc.property(given, (all) => {
        const words = renderWords(
          [{ when: 'prompt', cutAt: ' ', words: ['--message', '"{prompt}" {model}'] }],
          all,
          [],
        );
        const pieces = all.prompt?.split(' ') ?? [];
        expect(words).toEqual(pieces.flatMap((piece) => ['--message', `"${piece}" ${all.model ?? ''}`]));
      }),
    );
  });

  test('leaves braces alone that stand for nothing', () => {
    expect(renderText('{} {nothing} {Prompt} {prompt {{prompt}} {env:KEY}', values({ prompt: 'P' }))).toBe(
      '{} {nothing} {Prompt} {prompt {P} {env:KEY}',
    );
  });

  test('is replaced where there is none', () => {
    expect(renderText('{model|demo/model-1.5}:{model|}:{model}', values())).toBe('demo/model-1.5::');
    expect(renderText('{model|demo}', values({ model: '' }))).toBe('');
  });
});

describe('words that depend on a value', () => {
  const words = [
    'first',
    { when: 'model', words: ['--model', '{model}'] },
    { when: 'format=json', words: ['--json'] },
    { when: 'model', unless: 'base_url', words: ['--remote'] },
    { engineArguments: true as const },
    'last',
  ];

  test.each<[string, Partial<LaunchValues>, string[]]>([
    ['are left out where there is none', {}, []],
    ['are there where there is one', { model: 'm' }, ['--model', 'm', '--remote']],
    ['are there where it is empty: given is given', { model: '' }, ['--model', '', '--remote']],
    ['are there where it is the wanted one', { format: 'json' }, ['--json']],
    ['are left out where it is another one', { format: 'stream-json' }, []],
    ['are left out where another value stands against them', { model: 'm', base_url: 'u' }, ['--model', 'm']],
  ])('%s', (_title, some, expected) => {
    expect(renderWords(words, values(some), [])).toEqual(['first', ...expected, 'last']);
  });

  test('stand before the engine arguments, which are taken as they are', () => {
    const own = ['--flag', '{prompt}', 'a b', ''];
    expect(renderWords(words, values({ prompt: 'P', format: 'json' }), own)).toEqual([
      'first',
      '--json',
      ...own,
      'last',
    ]);
  });
});

describe('a configuration', () => {
  test('is filled in at every depth, in keys and in strings, and keeps its other values', () => {
    const template = {
      '{workspace}': { trusted: true, tries: 3, nothing: null },
      list: ['{model}', ['{base_url}/v1'], { home: '{home}' }],
    };
    expect(renderTemplate(template, values({ model: 'm', base_url: 'http://localhost' }))).toEqual({
      '/workspace': { trusted: true, tries: 3, nothing: null },
      list: ['m', ['http://localhost/v1'], { home: '/home' }],
    });
  });

  test('has a key of its own for a folder with a name of the language', () => {
    const filled = renderTemplate({ '{workspace}': 1 }, values({ workspace: '__proto__' })) as object;
    expect(Object.keys(filled)).toEqual(['__proto__']);
  });
});
