import { describe, expect, test } from 'vitest';
import { type Config, DEFAULTS } from '../../../src/config/index.ts';
import { listEngines } from '../../../src/engines/index.ts';
import { ENGINE_NAMES, type TachoError } from '../../../src/protocol/index.ts';
import { engineNames, knownEngines, requireEngine } from '../../../src/runs/launch/known-engines.ts';

const context = { config: DEFAULTS };

function withEngines(defined: Config['engines']['defined']) {
  return { config: { ...DEFAULTS, engines: { ...DEFAULTS.engines, defined } } };
}

function refusalOf(work: () => unknown): TachoError {
  try {
    work();
  } catch (error) {
    return error as TachoError;
  }
  throw new Error('not refused');
}

test('engines are known by their names, and every name has its profile', () => {
  expect(listEngines().map(({ name }) => name)).toEqual(ENGINE_NAMES);
  for (const profile of listEngines()) expect(requireEngine(profile.name, context)).toBe(profile);
});

test('engines of the configuration follow those of tacho', () => {
  const engines = withEngines({ 'my-agent': { extends: 'codex' } });
  expect(engineNames(engines)).toEqual([...ENGINE_NAMES, 'my-agent']);
  expect(knownEngines(engines).at(-1)).toMatchObject({ name: 'my-agent', parser: { name: 'codex_ndjson' } });
  expect(requireEngine('my-agent', engines).name).toBe('my-agent');
});

describe('requireEngine', () => {
  test.each(['nothing', '', 'Codex', 'text', '__proto__'])('refuses %j and names the known engines', (name) => {
    const error = refusalOf(() => requireEngine(name, context));
    expect(error).toMatchObject({ code: 'UNKNOWN_ENGINE', facts: { engine: name } });
    for (const engine of ['codex', 'gemini', 'opencode', 'claude', 'pi', 'qwen', 'iflow']) {
      expect(error.fix).toContain(engine);
    }
  });

  test('names the file of an untrusted folder that defines the engine', () => {
    const ignored = { from: 'workspace_ignored', file: 'config/tacho.yaml', keys: ['engines.my-agent'] } as const;
    const settings = [{ ...ignored, keys: [...ignored.keys] }];
    const { fix } = refusalOf(() => requireEngine('my-agent', { ...context, settings }));
    expect(fix).toBe(
      'config/tacho.yaml defines it, but the folder is not trusted. To look at it and allow it: tacho trust',
    );
  });
});
