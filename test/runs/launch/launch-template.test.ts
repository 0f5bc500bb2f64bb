import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type LaunchValues,
  renderTemplate,
  renderText,
  renderWords,
} from '../../../src/runs/launch/launch-template.ts';

const NAMES = ['prompt', 'session', 'model', 'base_url', 'format', 'workspace', 'data', 'home'] as const;

function values(some: Partial<LaunchValues> = {}): LaunchValues {
  const none = {
    prompt: null,
    session: null,
    model: null,
    base_url: null,
    format: null,
    mode: null,
    approvals: '',
    data: '',
    skills: null,
  };
  return { ...none, workspace: '/workspace', home: '/home', ...some };
}

/** Values that would do harm if interpreted again: by the template, by a pattern, or by a shell. */
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
  data: text,
  workspace: text,
  home: text,
  skills: fc.option(text),
});

describe('a value in a template', () => {
  test('is inserted literally, whatever it contains', () => {
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

  test('stays one argument, however many words it has', () => {
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

  test('is split only where the template says so, and the pieces are not expanded again', () => {
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

  test('leaves unknown placeholders unchanged', () => {
    expect(renderText('{} {nothing} {Prompt} {prompt {{prompt}} {env:KEY}', values({ prompt: 'P' }))).toBe(
      '{} {nothing} {Prompt} {prompt {P} {env:KEY}',
    );
  });

  test('has a replacement if it is missing', () => {
    expect(renderText('{model|demo/model-1.5}:{model|}:{model}', values())).toBe('demo/model-1.5::');
    expect(renderText('{model|demo}', values({ model: '' }))).toBe('');
  });
});

describe('arguments that depend on a value', () => {
  const words = [
    'first',
    { when: 'model', words: ['--model', '{model}'] },
    { when: 'format=json', words: ['--json'] },
    { when: 'model', unless: 'base_url', words: ['--remote'] },
    { engineArguments: true as const },
    'last',
  ];

  test.each<[string, Partial<LaunchValues>, string[]]>([
    ['are left out if it is missing', {}, []],
    ['are included if it is given', { model: 'm' }, ['--model', 'm', '--remote']],
    ['are included if it is given and empty', { model: '' }, ['--model', '', '--remote']],
    ['are included if it matches', { format: 'json' }, ['--json']],
    ['are left out if it does not match', { format: 'stream-json' }, []],
    ['are left out if another value excludes them', { model: 'm', base_url: 'u' }, ['--model', 'm']],
  ])('%s', (_title, some, expected) => {
    expect(renderWords(words, values(some), [])).toEqual(['first', ...expected, 'last']);
  });

  test('precede the engine arguments, which are passed unchanged', () => {
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
  test('is expanded at every depth, in keys and in strings, and keeps its other values', () => {
    const template = {
      '{workspace}': { trusted: true, tries: 3, nothing: null },
      list: ['{model}', ['{base_url}/v1'], { home: '{home}' }],
    };
    expect(renderTemplate(template, values({ model: 'm', base_url: 'http://localhost' }))).toEqual({
      '/workspace': { trusted: true, tries: 3, nothing: null },
      list: ['m', ['http://localhost/v1'], { home: '/home' }],
    });
  });

  test('has an own key for a folder named like a built-in property', () => {
    const filled = renderTemplate({ '{workspace}': 1 }, values({ workspace: '__proto__' })) as object;
    expect(Object.keys(filled)).toEqual(['__proto__']);
  });
});
