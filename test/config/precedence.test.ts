import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { configFields } from '../../src/config/field-table.ts';
import { formatByteSize, formatDuration } from '../../src/config/index.ts';
import { isPolicyKey } from '../../src/config/trust/user-policy.ts';
import { proofSize } from '../support/proof-size.ts';
import { loadTrusted, workspace, writeFiles } from './workspace.ts';

/** The name of each layer in origins, lowest first. */
const LAYERS = ['config/tacho.yaml', 'first.yaml', 'deep/second.yaml', '.env', 'environment', '--flag', '--later-flag'];

type Values = Record<string, unknown>;

/** Of numbers whose range is smaller than 1 to 60000. */
const RANGES: Readonly<Record<string, { min: number; max: number }>> = {
  'skills.source_timeout_ms': { min: 10, max: 60_000 },
  'runtime.nice': { min: 1, max: 19 },
  'runtime.max_agents': { min: 1, max: 4096 },
  'runtime.max_agent_depth': { min: 0, max: 16 },
  'llm.timeout_ms': { min: 100, max: 60_000 },
  'llm.max_retries': { min: 1, max: 100 },
  'prompt.history_max_messages': { min: 4, max: 60_000 },
  'prompt.history_max_chars': { min: 1000, max: 60_000 },
  'tools.max_output_bytes': { min: 1024, max: 60_000 },
  'tools.parallel': { min: 1, max: 64 },
};

/** Maps of named entries are merged (merging.test.ts), and the policy for agents is kept (user-policy.test.ts). */
const fields = [...configFields.fields.values()].filter(({ path, isMap }) => !isMap && !isPolicyKey(path));
const layerArbitrary = fc.record(Object.fromEntries(fields.map((field) => [field.path, arbitraryValue(field.path)])), {
  requiredKeys: [],
});

test('the last layer that sets a field wins, and its origin names it and all overridden layers', () => {
  const root = workspace();
  fc.assert(
    fc.property(fc.array(fc.option(layerArbitrary), { minLength: 7, maxLength: 7 }), (layers) => {
      const loaded = load(root, layers);
      for (const field of fields) {
        const setters = LAYERS.map((name, index) => ({ name, value: layers[index]?.[field.path] }))
          .filter(({ value }) => value !== undefined)
          .reverse();
        const expected = [...setters, { name: 'default', value: field.default }];
        const origin = loaded.origin(field.path);
        const actual = [origin, ...origin.overrode].map(({ value, source }) => ({ name: layerName(source), value }));
        expect(actual).toEqual(expected);
        expect(valueAt(loaded.config, field.path)).toEqual(expected[0]?.value);
        for (const { source } of [origin, ...origin.overrode]) expectPlaceOfKey(root, source, field.path);
      }
    }),
    { numRuns: proofSize({ small: 20, full: 60 }) },
  );
});

test('loading twice gives equal results', () => {
  const root = workspace();
  fc.assert(
    fc.property(fc.array(fc.option(layerArbitrary), { minLength: 7, maxLength: 7 }), (layers) => {
      expect(load(root, layers).origins).toEqual(load(root, layers).origins);
    }),
    { numRuns: proofSize({ small: 4, full: 10 }) },
  );
});

/** A list with this item, or without items. */
function items(item: object): fc.Arbitrary<unknown> {
  return fc.constantFrom([], [item]);
}

/** A valid value of the field, in its resolved form. */
function arbitraryValue(path: string): fc.Arbitrary<unknown> {
  const field = configFields.fields.get(path)!.facts;
  const number = fc.integer(RANGES[path] ?? { min: 1, max: 60_000 });
  if (path === 'service.public_url')
    return fc.constantFrom('https://a.example', 'http://b:8080/', 'http://[::1]:80/sub/path');
  if (path === 'service.allowed_hosts')
    return fc.array(fc.constantFrom('a.example', '10.0.0.1', '::1'), { maxLength: 4 });
  if (path === 'skills.spaces') return items({ namespace: 'team', enabled: true, sources: ['one'] });
  if (path === 'skills.sources') return items({ id: 'one', type: 'redis', dsn_env: 'DSN' });
  if (path === 'skills.layers') return fc.subarray(['artifacts', 'completion', 'output', 'mode']);
  if (path === 'llm.base_url') return fc.constantFrom('https://a.example/v1', 'http://b:8080');
  if (path === 'llm.api_key_env') return fc.constantFrom('A_KEY', 'B_KEY');
  if (path === 'prompt.system_template') return fc.constantFrom('coding', 'plain');
  switch (field.kind) {
    case 'flag':
      return fc.boolean();
    case 'choice':
      return fc.constantFrom(...field.type.split(' | '));
    case 'text':
      return fc.constantFrom('xterm', 'vt100', '123', 'null', 'true', 'screen-256color');
    case 'list':
      return fc.array(
        fc.string({ unit: 'grapheme', minLength: 1 }).filter((item) => !/[=\0]/.test(item)),
        { maxLength: 4 },
      );
    case 'integer':
    case 'size':
      return number;
    case 'number':
      return fc.constantFrom(0, 0.25, 1, 2);
    case 'duration':
      return field.nullable ? fc.option(number) : number;
    case 'map':
      throw new Error(`${path} is a map`);
  }
}

function load(root: string, layers: (Values | null)[]) {
  const [own, first, second, envFile, environment, flag, laterFlag] = layers.map((layer) => layer ?? {});
  writeFiles(root, {
    'config/tacho.yaml': stringify(nested(own!, asWritten)),
    'first.yaml': stringify(nested(first!)),
    'deep/second.yaml': stringify(nested(second!, asWritten)),
    '.env': Object.entries(envFile!)
      .map(([path, value]) => `${variable(path)}="${asText(value).replace(/["\\]/g, '\\$&')}"\n`)
      .join(''),
  });
  const variables = Object.entries(environment!).map(([path, value]) => [variable(path), asText(value)]);
  return loadTrusted({
    workspaceRoot: root,
    env: { PATH: '/bin', TACHO_CONFIG_PATHS: 'first.yaml;deep/second.yaml', ...Object.fromEntries(variables) },
    session: [
      { name: '--flag', settings: nested(flag!) },
      { name: '--later-flag', settings: nested(laterFlag!, asWritten) },
    ],
  });
}

/** Numbers with units, as a user may write them. */
function asWritten(path: string, value: unknown): unknown {
  const { kind } = configFields.fields.get(path)!.facts;
  if (typeof value !== 'number') return value;
  return kind === 'duration' ? formatDuration(value) : kind === 'size' ? formatByteSize(value) : value;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function variable(path: string): string {
  return configFields.fields.get(path)!.environment_name;
}

function nested(values: Values, write: (path: string, value: unknown) => unknown = (_, value) => value) {
  const tree: Record<string, Values> = {};
  for (const [path, value] of Object.entries(values)) {
    const [section, key] = path.split('.') as [string, string];
    tree[section] = { ...tree[section], [key]: write(path, value) };
  }
  return tree;
}

function layerName(source: { kind: string; name: string }): string {
  return source.kind === 'environment' ? 'environment' : source.name;
}

function valueAt(config: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Values)[key], config);
}

/** The line and column of an origin are those of the key, or of the name in `.env`. */
function expectPlaceOfKey(
  root: string,
  source: { kind: string; name: string; line?: number; col?: number },
  path: string,
) {
  if (source.line === undefined) {
    expect(['default', 'environment', 'session']).toContain(source.kind);
    return;
  }
  const line = readFileSync(join(root, source.name), 'utf8').split(/\r\n|\n|\r/)[source.line - 1]!;
  const key = source.kind === 'env_file' ? `${variable(path)}=` : `${path.split('.').at(-1)}:`;
  expect(line.slice(source.col! - 1).startsWith(key)).toBe(true);
}
