import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { configFields } from '../../src/config/field-table.ts';
import { configSchema, DEFAULTS, defaultYaml, loadConfig } from '../../src/config/index.ts';
import { loadYaml, workspace } from './workspace.ts';

const { cache } = createRequire(import.meta.url);
const loadedYaml = () => Object.keys(cache).filter((path) => path.includes('/node_modules/yaml/'));

describe('loadConfig', () => {
  test('loads the YAML library only when there is a file to read', () => {
    for (const path of loadedYaml()) delete cache[path];
    loadConfig({ workspaceRoot: workspace(), env: process.env });
    expect(loadedYaml()).toEqual([]);
    loadYaml('');
    expect(loadedYaml()).not.toEqual([]);
  });

  test('returns a frozen result', () => {
    const loaded = loadYaml('recording: { ignore: [a] }\n');
    for (const value of [loaded, loaded.config, ...Object.values(loaded.config), loaded.origins, ...loaded.origins]) {
      expect(Object.isFrozen(value)).toBe(true);
    }
    expect(Object.isFrozen(loaded.config.recording.ignore)).toBe(true);
    expect(Object.isFrozen(loaded.origin('recording.ignore').overrode)).toBe(true);
    expect(() => (loaded.config.recording.ignore as string[]).push('b')).toThrow(TypeError);
  });

  test('does not freeze its input', () => {
    const ignore = ['a'];
    const settings = { recording: { ignore } };
    loadConfig({ workspaceRoot: workspace(), env: {}, session: { name: '--ignore', settings } });
    ignore.push('b');
    expect(settings).toEqual({ recording: { ignore: ['a', 'b'] } });
  });

  test('replaces whole lists and merges maps', () => {
    const { config } = loadYaml('recording:\n  ignore: []\n');
    expect(config.recording).toEqual({ ...DEFAULTS.recording, ignore: [] });
  });

  test('understands aliases', () => {
    const { config } = loadYaml('environment:\n  pass: &names [A, &b B]\n  inherit: *names\n  secret_names: [*b]\n');
    expect(config.environment).toEqual({ pass: ['A', 'B'], inherit: ['A', 'B'], secret_names: ['B'] });
  });

  test('resolves an alias to the last anchor of its name', () => {
    const { config } = loadYaml('terminal:\n  cols: &n 1\n  rows: &n 2\nlimits:\n  linger_ms: *n\n');
    expect(config.limits.linger_ms).toBe(2);
  });
});

describe('the defaults', () => {
  test('are the effective configuration without other layers', () => {
    expect(loadConfig({ workspaceRoot: workspace(), env: {} }).config).toEqual(DEFAULTS);
  });

  test('are valid and set every key of the schema', () => {
    expect(configSchema.parse(DEFAULTS)).toEqual(DEFAULTS);
  });

  test('written as YAML are an equivalent configuration file', () => {
    const loaded = loadYaml(defaultYaml());
    expect(loaded.config).toEqual(DEFAULTS);
    // A map without entries has no effect.
    const maps = [...configFields.fields.values()]
      .filter(({ isMap, path, prefix }) => isMap && path === prefix)
      .map(({ path }) => path);
    const others = loaded.origins.filter(({ source }) => source.kind !== 'file');
    expect(others.map(({ path }) => path)).toEqual(maps);
    expect(defaultYaml()).toContain('recording:\n  # How much of an attempt is kept.\n  level: "full"\n');
  });

  test('have a description for each key', () => {
    for (const field of configFields.fields.values()) expect(field.facts.description).toMatch(/^[A-Z].*\.$/);
  });
});
