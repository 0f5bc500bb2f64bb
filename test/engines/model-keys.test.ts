import { expect, test } from 'vitest';
import { listEngines } from '../../src/engines/index.ts';
import { MODEL_KEYS } from '../../src/protocol/model-keys.ts';

const taken = listEngines().flatMap(({ environment }) => environment.take);

test('every key that an engine takes may come from a trusted .env, and nothing else', () => {
  const keys = new Set(taken.filter((name) => /_(KEY|TOKEN)$/.test(name)));
  expect([...MODEL_KEYS].sort()).toEqual([...keys].sort());
});

test.each(['LD_PRELOAD', 'LD_LIBRARY_PATH', 'NODE_OPTIONS', 'PATH', 'HOME', 'OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL'])(
  '%s never comes from a .env',
  (name) => {
    expect(MODEL_KEYS.has(name)).toBe(false);
  },
);
