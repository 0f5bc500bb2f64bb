import path from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { AgentSettings } from '../../../src/agent/from-config/agent-settings.ts';
import { modelsFromSettings } from '../../../src/agent/from-config/models-from-settings.ts';
import { resolveAgentSettings } from '../../../src/agent/from-config/resolve-settings.ts';
import { DEFAULT_BUDGETS, DEFAULT_SETTINGS } from '../../../src/agent/settings.ts';
import { failure, workspace } from '../../config/workspace.ts';
import { userWith, yaml } from './user.ts';

test('the defaults of the configuration are those of an agent', () => {
  const { loop, budgets, ignored, policy, model } = resolveAgentSettings(workspace(), { env: {}, home: workspace() });
  expect(loop).toEqual(DEFAULT_SETTINGS);
  expect(budgets).toEqual(DEFAULT_BUDGETS);
  expect([ignored, policy.rules]).toEqual([[], []]);
  expect(policy.command).toEqual({ decision: 'ask', level: 'default', source: 'default' });
  expect(model).toMatchObject({ provider: 'openai', executor: null, keyName: 'OPENAI_API_KEY', key: null });
});

test('texts of the prompt name the place that set them; paths of the user’s file start beside it', () => {
  const root = workspace();
  const { prompt, sandbox } = resolveAgentSettings(root, {
    env: {},
    home: workspace({
      'config.yaml': 'prompt: { developer: Write tests., developer_file: rules.md }\nsandbox: { read: [data, /srv] }\n',
      'rules.md': 'Be brief.',
    }),
  });
  expect(prompt.developer.map(({ text }) => text)).toEqual(['Write tests.', 'Be brief.']);
  expect(prompt.developer[0]!.source).toMatch(/^config:prompt\.developer ← .*config\.yaml:1:11$/);
  expect(prompt.developer[1]!.source).toMatch(/^config:prompt\.developer_file ← .*config\.yaml:1:36$/);
  expect(sandbox.read).toEqual([path.join(root, 'data'), '/srv']);
  expect([Object.isFrozen(prompt.developer), Object.isFrozen(sandbox)]).toEqual([true, true]);
});

test.each([
  ['missing.md', 'does not exist'],
  ['.', 'is not a regular file'],
  ['latin1.md', 'is not UTF-8 text'],
])('a prompt in %s is an error with the place of the setting', (file, complaint) => {
  const home = workspace({
    'config.yaml': `prompt:\n  system_file: ${file}\n`,
    'latin1.md': Buffer.from([0x47, 0xe4]),
  });
  const error = failure(() => resolveAgentSettings(workspace(), { env: {}, home }));
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', facts: { path: 'prompt.system_file' } });
  expect(error.message).toContain(`config.yaml:2:3: prompt.system_file: "${file}" ${complaint}`);
});

describe('the key of the model service', () => {
  const LLM = { llm: { api_key_env: 'TEAM_KEY' }, models: { executor: 'm' } };

  test('comes from the environment, else from a trusted .env', () => {
    const files = { '.env': 'TEAM_KEY=sk-file\n' };
    const { resolve, trust } = userWith(LLM, files);
    expect(resolve().model.key).toBeNull();
    expect(resolve().ignored).toMatchObject([{ path: 'TEAM_KEY', source: '.env:1:1', reason: 'untrusted' }]);
    trust();
    expect(resolve().model.key).toMatchObject({ name: 'TEAM_KEY', source: '.env:1:1' });
    expect(resolve().model.key!.reveal()).toBe('sk-file');
    const { key } = resolve({ env: { TEAM_KEY: 'sk-mine' } }).model;
    expect([key!.reveal(), key!.source]).toEqual(['sk-mine', 'environment']);
  });

  test('is the usual one of the provider by default, also in a trusted .env', () => {
    const files = { '.env': 'ANTHROPIC_API_KEY=sk-ant\nOPENAI_API_KEY=sk-open\n' };
    const { resolve, trust } = userWith({ llm: { provider: 'anthropic' } }, files);
    trust();
    expect(resolve().secrets.map((key) => key.reveal())).toEqual(['sk-ant']);
  });

  test('never prints', () => {
    const settings = userWith(LLM, {}, { TEAM_KEY: 'sk-mine' }).resolve();
    expect(settings.model.key!.reveal()).toBe('sk-mine');
    for (const text of [
      JSON.stringify(settings),
      inspect(settings, { depth: 9, showHidden: true }),
      `${settings.model.key}`,
    ]) {
      expect(text).toContain('TEAM_KEY');
      expect(text).not.toContain('sk-mine');
    }
  });

  test('is required by the providers that have one', () => {
    const { resolve, root } = userWith(LLM, { '.env': 'TEAM_KEY=sk-file\n' });
    const error = failure(() => modelsFromSettings(resolve()));
    expect(error).toMatchObject({ code: 'CREDENTIALS_MISSING', facts: { variable: 'TEAM_KEY' } });
    expect(error.fix).toContain(`tacho trust ${root}`);
    const local = {
      llm: { provider: 'openai_compatible', base_url: 'http://127.0.0.1:1/v1' },
      models: { executor: 'm' },
    };
    expect(modelsFromSettings(userWith(local, {}).resolve()).model.id).toBe('openai-compatible:m');
  });
});

test('tokens of MCP servers are secrets; disabled servers are left out', () => {
  const servers = {
    search: { url: 'https://search.example/mcp', token_env: 'SEARCH_TOKEN' },
    files: { command: ['files-server'], tools: ['read'] },
    off: { command: ['x'], enabled: false },
  };
  const { mcpServers, secrets } = userWith({ mcp: { servers } }, {}, { SEARCH_TOKEN: 'tok' }).resolve();
  expect(mcpServers.map(({ name, command, url, tools, timeoutMs }) => [name, command, url, tools, timeoutMs])).toEqual([
    ['search', null, 'https://search.example/mcp', ['*'], 60_000],
    ['files', ['files-server'], null, ['read'], 60_000],
  ]);
  expect(secrets.map((key) => key.reveal())).toEqual(['tok']);
});

describe('a cost budget', () => {
  const prices = { big: { input: 10, output: 30, cache_write: 12 } };

  test('without a price of a model is an error that says how to add it', () => {
    const own = { safety: { max_cost_usd: 5 }, models: { executor: 'big', planner: 'small', prices } };
    const error = failure(() => userWith(own, {}).resolve());
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', facts: { path: 'models.prices', model: 'small' } });
    expect(error.message).toMatch(/config\.yaml:2:3: safety\.max_cost_usd cannot be checked/);
    expect(error.fix).toContain(`tacho config set 'models.prices."small"'`);
  });

  test('uses the price of input for what has no price of its own', () => {
    const own = { safety: { max_cost_usd: 5 }, models: { executor: 'big', prices } };
    expect(userWith(own, {}).resolve().loop.prices).toEqual({
      big: { input: 10, output: 30, cached_input: 10, cache_write: 12 },
    });
  });

  test('of the user is not evaded by prices of a trusted workspace', () => {
    const own = { safety: { max_cost_usd: 5 }, models: { prices } };
    const theirs = yaml({ models: { executor: 'free', prices: { free: { input: 0, output: 0 } } } });
    const { resolve, trust } = userWith(own, theirs);
    trust();
    expect(failure(() => resolve())).toMatchObject({ code: 'CONFIG_INVALID', facts: { model: 'free' } });
  });
});

test('a profile and a network that exclude each other are an error with both places', () => {
  const { resolve, trust } = userWith({ sandbox: { network: 'on' } }, yaml({ sandbox: { profile: 'prod' } }));
  trust();
  const error = failure(() => resolve());
  expect(error.code).toBe('CONFIG_INVALID');
  expect(error.message).toMatch(/config\.yaml:2:3: sandbox\.network cannot be on with the profile prod/);
  expect(error.message).toContain('config/tacho.yaml:2:3');
});

test('an agent without a model is an error that says how to name one', () => {
  const error = failure(() => modelsFromSettings(userWith({}, {}, { OPENAI_API_KEY: 'x' }).resolve()));
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', facts: { path: 'models.executor' } });
  const local = { llm: { provider: 'openai_compatible' }, models: { executor: 'm' } };
  expect(failure(() => modelsFromSettings(userWith(local, {}).resolve())).message).toContain('llm.base_url is not set');
});

describe('a scripted model', () => {
  const own = { llm: { provider: 'scripted' }, models: { executor: 'script.json' } };
  const first = async (settings: AgentSettings) => {
    const { model } = modelsFromSettings(settings);
    for await (const chunks of model.stream({ prompt: [], tools: [] }, new AbortController().signal)) return chunks;
    return [];
  };

  test('follows a file, even while requests are forbidden', async () => {
    const { resolve } = userWith(
      { ...own, llm: { ...own.llm, requests: 'forbid' } },
      { 'script.json': '[{"type":"call","name":"read_file","arguments":{"path":"a"}},"Done."]' },
    );
    expect(await first(resolve())).toContainEqual(expect.objectContaining({ name: 'read_file', text: '{"path":"a"}' }));
  });

  test.each([
    ['{}', 'Invalid input'],
    ['[1]', 'Invalid input'],
    ['not JSON', 'is not valid JSON'],
  ])('rejects the script %s', (text, message) => {
    const error = failure(() => modelsFromSettings(userWith(own, { 'script.json': text }).resolve()));
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toContain(message);
  });

  test('rejects a missing script', () => {
    expect(failure(() => modelsFromSettings(userWith(own, {}).resolve())).code).toBe('CONFIG_INVALID');
  });
});
