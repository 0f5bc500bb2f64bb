import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { explainOrigin } from '../../src/config/explain.ts';
import { text } from '../../src/config/field.ts';
import { fieldTable } from '../../src/config/field-table.ts';
import { explainConfig, loadConfig } from '../../src/config/index.ts';
import { resolveConfig, resolveOrigins } from '../../src/config/origins.ts';
import type { ConfigProblem } from '../../src/config/problem.ts';
import { readLayer } from '../../src/config/settings.ts';
import { locate } from '../../src/config/sources/located.ts';
import { failure, loadTrusted, workspace } from './workspace.ts';

const YAML = 'terminal:\n  cols: 80\nlimits:\n  timeout_ms: 30s\nrecording:\n  ignore: [dist, a b]\n';
const loadAll = () =>
  loadTrusted({
    workspaceRoot: workspace({ 'config/tacho.yaml': YAML }),
    env: { TACHO_TERMINAL_COLS: '100' },
    session: { name: '--timeout', settings: { limits: { timeout_ms: '5m', linger_ms: undefined } } },
  });

describe('explainConfig', () => {
  test('prints every field with its value, its origin and the overridden values', () => {
    const loaded = loadAll();
    const lines = explainConfig(loaded);
    expect(lines).toHaveLength(loaded.origins.length);
    expect(lines).toEqual(
      expect.arrayContaining([
        'recording.level = "full" ← default',
        'recording.ignore = ["dist", "a b"] ← config/tacho.yaml:6:3 (over default)',
        'terminal.cols = 100 ← TACHO_TERMINAL_COLS (over config/tacho.yaml:2:3, default)',
        'limits.timeout_ms = 300000 ← --timeout (over config/tacho.yaml:4:3, default)',
        'limits.no_progress_timeout_ms = null ← default',
      ]),
    );
  });

  test('prints the fields of one section', () => {
    expect(explainConfig(loadAll(), 'journal')).toEqual([
      'journal.fsync = "interval" ← default',
      'journal.fsync_interval_ms = 200 ← default',
    ]);
  });

  test('prints one field with its description and the values it overrode', () => {
    expect(explainConfig(loadAll(), 'terminal.cols')).toEqual([
      'terminal.cols = 100 ← TACHO_TERMINAL_COLS (over config/tacho.yaml:2:3, default)',
      '  Width of the terminal a run gets, in columns.',
      '  Must be a whole number from 1 to 65535.',
      '  Environment variable: TACHO_TERMINAL_COLS',
      '  Overrode 80 ← config/tacho.yaml:2:3',
      '  Overrode 120 ← default',
    ]);
  });

  test('shows the ignored values of an untrusted file', () => {
    const workspaceRoot = workspace({ 'config/tacho.yaml': 'engines:\n  folder: tools\n' });
    const loaded = loadConfig({ workspaceRoot, env: {} });
    const ignored = '  Ignored "tools" ← config/tacho.yaml:2:3, which is not trusted: tacho trust';
    expect(explainConfig(loaded, 'engines').slice(0, 2)).toEqual(['engines.folder = "" ← default', ignored]);
    expect(explainConfig(loaded, 'engines.folder')).toContain(ignored);
  });

  test('refuses a path that is not a field', () => {
    const loaded = loadAll();
    const message = (path: string) => failure(() => explainConfig(loaded, path)).message;
    expect(message('recording.levle')).toBe(
      'no configuration field is called "recording.levle"; did you mean recording.level?',
    );
    expect(message('level')).toBe('no configuration field is called "level"; did you mean recording.level?');
    expect(message('xyz')).toBe(
      'no configuration field is called "xyz"; sections are recording, journal, terminal, limits, engines, service, runtime, skills, llm, models, prompt, tools, safety, sandbox, mcp, targets, environment',
    );
    expect(message('__proto__')).toMatch(/^no configuration field is called "__proto__"/);
    expect(failure(() => loaded.origin('journal')).message).toBe(
      'no configuration field is called "journal"; it is a section with fsync, fsync_interval_ms',
    );
  });
});

describe('a secret field', () => {
  const anything = { pattern: /^.{3,}$/, accepts: 'three characters or more', secret: true };
  const schema = z.strictObject({ llm: z.strictObject({ api_key: text('Key of the model service.', anything) }) });
  const table = fieldTable(() => schema, { llm: { api_key: null } });
  const read = (value: unknown, problems: ConfigProblem[]) =>
    readLayer(locate({ llm: { api_key: value } }, { kind: 'environment', name: 'MODEL_KEY' }), table, problems);

  test('shows that it is set and where, and never its value', () => {
    const layers = [read('hunter1', []), read('hunter2', [])];
    expect(resolveConfig(table, layers)).toEqual({ llm: { api_key: 'hunter2' } });
    const origins = resolveOrigins(table, layers);
    const origin = origins.get('llm.api_key')!;
    expect(explainOrigin(origin)).toBe('llm.api_key = ‹set› ← MODEL_KEY (over MODEL_KEY, default)');
    expect(JSON.stringify([...origins])).not.toContain('hunter');
    expect(explainOrigin(resolveOrigins(table, []).get('llm.api_key')!)).toBe('llm.api_key = null ← default');
  });

  test('that is invalid is refused without showing its value', () => {
    for (const value of ['pw', ['hunter2'], 12_345]) {
      const problems: ConfigProblem[] = [];
      read(value, problems);
      expect(problems).toEqual([
        {
          code: 'CONFIG_INVALID',
          message: 'MODEL_KEY: llm.api_key must be three characters or more',
          path: 'llm.api_key',
          source: { kind: 'environment', name: 'MODEL_KEY' },
        },
      ]);
    }
  });
});
