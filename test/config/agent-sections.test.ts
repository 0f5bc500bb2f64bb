import { describe, expect, test } from 'vitest';
import { DEFAULTS, describeConfig, explainConfig, loadConfig } from '../../src/config/index.ts';
import { failure, loadTrusted, loadYaml, workspace } from './workspace.ts';

const YAML = `llm:
  provider: anthropic
  api_key_env: TEAM_KEY
  temperature: 0.2
models:
  executor: claude-large
  prices:
    claude-large: { input: 3, output: 15, cached_input: 0.3 }
    vendor/small.1: { input: 0.25, output: 1 }
prompt:
  developer: |
    Write tests.
safety:
  max_cost_usd: 2.5
  rules:
    - decision: allow
      command: [npm, [test, ci]]
      match: [npm test]
    - { decision: deny, path: secrets/**, access: any, reason: Not yours. }
mcp:
  servers:
    search: { url: 'https://search.example/mcp', token_env: SEARCH_TOKEN, tools: [find_*] }
    files:
      command: [files-server, --stdio]
      enabled: false
`;

test('every key has a default, an origin, a description and a variable', () => {
  const { origins } = loadConfig({ workspaceRoot: workspace(), env: {} });
  for (const section of ['llm', 'models', 'prompt', 'tools', 'safety', 'sandbox', 'mcp'] as const) {
    const keys = Object.keys(DEFAULTS[section]).map((key) => `${section}.${key}`);
    expect(origins.map(({ path }) => path)).toEqual(expect.arrayContaining(keys));
    const described = new Map(describeConfig().map((one) => [one.path, one]));
    for (const key of keys) {
      expect(described.get(key)?.description).toMatch(/\.$/);
      expect(described.get(key)?.environment_name).toBe(`TACHO_${key.toUpperCase().replace('.', '_')}`);
    }
  }
});

test('values of rules, prices and servers have origins of their own', () => {
  const loaded = loadYaml(YAML);
  expect(explainConfig(loaded, 'safety.rules')).toEqual(
    expect.arrayContaining([
      '  [0].command[1][0] = "test" ← config/tacho.yaml:17:23',
      '  [1].reason = "Not yours." ← config/tacho.yaml:19:64',
    ]),
  );
  expect(explainConfig(loaded, 'models.prices')).toContain(
    'models.prices."vendor/small.1".input = 0.25 ← config/tacho.yaml:9:23',
  );
  expect(explainConfig(loaded, 'mcp.servers.search.timeout_ms')[0]).toBe(
    'mcp.servers.search.timeout_ms = 60000 ← default',
  );
  expect(loaded.config.mcp.servers.files).toEqual({
    command: ['files-server', '--stdio'],
    enabled: false,
    tools: ['*'],
    timeout_ms: 60_000,
  });
  expect(loaded.config.safety.rules[0]).toEqual({
    decision: 'allow',
    command: ['npm', ['test', 'ci']],
    match: ['npm test'],
  });
});

test('variables set numbers with decimals, rules and prices', () => {
  const env = {
    TACHO_SAFETY_MAX_COST_USD: '0.75',
    TACHO_LLM_TEMPERATURE: 'null',
    TACHO_MODELS_PRICES: '{"m.1": {"input": 1, "output": 2}}',
    TACHO_SAFETY_RULES: '[{"decision": "ask", "tool": "mcp_*"}]',
    TACHO_TOOLS_DISABLED: 'shell_exec, shell_command',
  };
  const { config } = loadConfig({ workspaceRoot: workspace(), env });
  expect(config.safety.max_cost_usd).toBe(0.75);
  expect(config.models.prices).toEqual({ 'm.1': { input: 1, output: 2 } });
  expect(config.safety.rules).toEqual([{ decision: 'ask', tool: 'mcp_*' }]);
  expect(config.tools.disabled).toEqual(['shell_exec', 'shell_command']);
});

test('a variable that tacho sets for servers it starts is not a setting of the section mcp', () => {
  expect(() => loadConfig({ workspaceRoot: workspace(), env: { TACHO_MCP_SOURCE: '1' } })).not.toThrow();
});

describe('rejects', () => {
  test.each([
    ['llm: { base_uri: x }', 'unknown key llm.base_uri; did you mean llm.base_url?'],
    ['llm: { base_url: "https://user:pw@x" }', 'llm.base_url must be an http:// or https:// address'],
    ['llm: { temperature: 3 }', 'llm.temperature must be a number from 0 to 2, or null, not 3'],
    ['models: { prices: { a: { input: 1 } } }', 'models.prices.a.output is missing'],
    ['models: { prices: { a: { input: -1, output: 1 } } }', 'models.prices.a.input must be a number from 0'],
    ['models: { prices: { "a b": { input: 1, output: 1 } } }', 'the name of a model has 1 to 200 characters'],
    ['prompt: { system_template: ../x }', 'prompt.system_template must be the name of a template'],
    ['tools: { enabled: ["rm -rf"] }', 'tools.enabled must be a list of tool names'],
    ['safety: { rules: [{ decision: allow }] }', 'safety.rules[0].command is missing: a rule has exactly one of'],
    [
      'safety: { rules: [{ decision: allow, command: [a], tool: b }] }',
      'safety.rules[0].tool cannot be used here: a rule has exactly one of command, tool and path',
    ],
    [
      'safety: { rules: [{ decision: allow, tool: b, access: read }] }',
      'safety.rules[0].access cannot be used here: it requires path',
    ],
    ['safety: { rules: [{ decision: maybe, tool: b }] }', 'safety.rules[0].decision must be allow, ask or deny'],
    [
      'safety: { rules: [{ decision: deny, comand: [a] }] }',
      'unknown key safety.rules[0].comand; did you mean command?',
    ],
    ['safety: { max_cost_usd: -1 }', 'safety.max_cost_usd must be a number from 0'],
    ['sandbox: { profile: off }', 'sandbox.profile must be dev, balanced, prod or none'],
    ['mcp: { servers: { a: {} } }', 'an MCP server has exactly one of them'],
    ['mcp: { servers: { a: { command: [] } } }', 'mcp.servers.a.command is empty'],
    ['mcp: { servers: { a: { command: [x], token_env: T } } }', 'mcp.servers.a.token_env cannot be used here'],
    ['mcp: { servers: { A: { command: [x] } } }', 'a name has lower-case letters'],
  ])('%s', (yaml, message) => {
    const error = failure(() => loadYaml(yaml));
    expect(error.code).toMatch(/^CONFIG_(INVALID|UNKNOWN_KEY)$/);
    expect(error.message).toContain('config/tacho.yaml:1:');
    expect(error.message).toContain(message);
  });

  test('a key in the place of the name of its variable, without repeating it', () => {
    const error = failure(() => loadYaml('llm: { api_key_env: sk-live-1234 }'));
    expect(error.message).toContain('llm.api_key_env must be the name of an environment variable, or nothing');
    expect(JSON.stringify([error.message, error.facts, error.fix])).not.toContain('sk-live');
  });
});

describe('keys that settings name in a .env', () => {
  const ENV = 'TEAM_KEY=sk-team\nSEARCH_TOKEN=token\nOTHER_KEY=other\nOPENAI_API_KEY=sk-open\n';

  test('have a value only while the folder is trusted, and are part of what is trusted', () => {
    const root = workspace({ 'config/tacho.yaml': YAML, '.env': ENV });
    const untrusted = loadConfig({ workspaceRoot: root, env: {} });
    expect(untrusted.namedKeys.map(({ name, value }) => [name, value])).toEqual([
      ['TEAM_KEY', null],
      ['SEARCH_TOKEN', null],
    ]);
    const trusted = loadTrusted({ workspaceRoot: root, env: {} });
    expect(trusted.namedKeys.map(({ name, value }) => [name, value])).toEqual([
      ['TEAM_KEY', 'sk-team'],
      ['SEARCH_TOKEN', 'token'],
    ]);
    expect(trusted.workspace.asksFor.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['TEAM_KEY', 'SEARCH_TOKEN', 'OPENAI_API_KEY']),
    );
    expect(JSON.stringify([trusted.workspace, trusted.origins, trusted.settings])).not.toMatch(/sk-team|"token"/);
  });

  test('end the trust when they change', () => {
    const root = workspace({ 'config/tacho.yaml': 'llm: { api_key_env: TEAM_KEY }\n', '.env': 'TEAM_KEY=1\n' });
    const { sha256 } = loadConfig({ workspaceRoot: root, env: {} }).workspace;
    const other = workspace({ 'config/tacho.yaml': 'llm: { api_key_env: TEAM_KEY }\n', '.env': 'TEAM_KEY=2\n' });
    expect(loadConfig({ workspaceRoot: other, env: {} }).workspace.sha256).not.toBe(sha256);
  });

  test('of an untrusted folder have no value even if the user names them', () => {
    const root = workspace({ '.env': ENV });
    const env = { TACHO_LLM_API_KEY_ENV: 'TEAM_KEY' };
    const { namedKeys, workspace: report } = loadConfig({ workspaceRoot: root, env });
    expect(namedKeys).toMatchObject([{ name: 'TEAM_KEY', value: null, source: { name: '.env', line: 1 } }]);
    expect(report.sha256).not.toBeNull();
  });
});
