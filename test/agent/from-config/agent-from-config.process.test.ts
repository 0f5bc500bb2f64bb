import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentFromConfig } from '../../../src/agent/from-config/agent-from-config.ts';
import { scriptedModel } from '../../../src/agent/models/scripted-model.ts';
import { workspace } from '../../config/workspace.ts';
import { type Sections, userWith, yaml } from './user.ts';

const OWN: Sections = {
  llm: { provider: 'scripted' },
  models: { executor: 'script.json' },
  prompt: { developer: 'Be brief.' },
  sandbox: { profile: 'none' },
};
const WRITE = { type: 'call', name: 'file_write', arguments: { path: 'out.txt', content: 'written' } };

/** Runs the script of the workspace, and returns its events and the agent. */
async function run(own: Sections, files: Record<string, string>, script: unknown[] = [WRITE, 'Done.']) {
  const user = userWith(own, { 'script.json': JSON.stringify(script), ...files });
  const { agent, settings } = await agentFromConfig(user.root, user);
  const work = agent.run('Write a file.');
  const events = [];
  for await (const event of work) events.push(event);
  return { ...user, agent, settings, events, result: await work.result };
}

describe('agentFromConfig', () => {
  test('makes an agent that works by the configuration', async () => {
    const { events, root, result } = await run({ ...OWN, safety: { write: 'allow', max_steps: 7 } }, {});
    expect(result).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(fs.readFileSync(path.join(root, 'out.txt'), 'utf8')).toBe('written');
    const started = events.find(({ type }) => type === 'run_started')!.data as { budgets: object };
    expect(started.budgets).toMatchObject({ max_steps: 7 });
    const { sources } = events.find(({ type }) => type === 'prompt_compiled')!.data as {
      sources: { source: string }[];
    };
    expect(sources.map(({ source }) => source).join('\n')).toMatch(/config:prompt\.developer ← .*config\.yaml:\d+:3/);
  });

  test('denies by a rule of an untrusted workspace, and does not allow by one', async () => {
    const deny = { safety: { rules: [{ decision: 'deny', path: 'out.txt' }] } };
    const denied = await run({ ...OWN, safety: { write: 'allow' } }, yaml(deny));
    expect(fs.existsSync(path.join(denied.root, 'out.txt'))).toBe(false);
    const allow = { safety: { rules: [{ decision: 'allow', tool: '*' }], write: 'allow' } };
    const asked = await run({ ...OWN, safety: { approver: 'deny' } }, yaml(allow));
    expect(fs.existsSync(path.join(asked.root, 'out.txt'))).toBe(false);
    expect(asked.settings.ignored.map(({ path: key }) => key)).toEqual(['safety.rules', 'safety.write']);
  });

  test('waits for a decision of another process with safety.approver later', async () => {
    const { events, root } = await run({ ...OWN, safety: { approver: 'later' } }, {});
    expect(events.at(-1)!.type).toBe('run_waiting');
    expect(fs.existsSync(path.join(root, 'out.txt'))).toBe(false);
  });

  test('offers the enabled tools only', async () => {
    const own = { ...OWN, tools: { enabled: ['read_*', 'list_dir', 'file_*'], disabled: ['file_write'] } };
    const { agent } = await run(own, {}, ['Done.']);
    const names = agent.options.tools!.map(({ name }) => name).sort();
    expect(names).toEqual(['file_read', 'list_dir', 'read_file']);
  });

  test('passes listed variables to commands, and knows secrets by their names', async () => {
    const env = { LANG: 'C', PATH: '/bin', API_TOKEN: 'token-value', OTHER: 'x', DEPLOY_KEY: 'abc' };
    const { root, home } = userWith(OWN, { 'script.json': '[]' });
    const { agent } = await agentFromConfig(root, { env, home });
    expect(agent.options.env).toEqual({ LANG: 'C' });
    expect(agent.options.secrets).toEqual([{ name: 'API_TOKEN', value: 'token-value' }]);
  });

  test('lets the caller replace single options', async () => {
    const { root, home } = userWith(OWN, {});
    const model = scriptedModel(['Hello.']);
    const { agent } = await agentFromConfig(root, { env: {}, home, override: { model, budgets: undefined } });
    expect(agent.options.model).toBe(model);
    expect(agent.options.budgets).toMatchObject({ max_steps: 200 });
    expect(await agent.run('Hi').result).toMatchObject({ status: 'completed', text: 'Hello.' });
  });

  test('rejects a cost budget without a price of a model that the caller passes', async () => {
    const { root, home } = userWith({ safety: { max_cost_usd: 1 } }, {});
    const override = { model: scriptedModel(['Hello.'], { id: 'vendor:m' }) };
    await expect(agentFromConfig(root, { env: {}, home, override })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      facts: { model: 'vendor:m' },
    });
  });

  test('rejects a misspelled tool, an unknown template and a rule whose example does not match', async () => {
    const fails = async (own: Sections) => {
      const { root, home } = userWith({ ...OWN, ...own }, { 'script.json': '[]' });
      return await agentFromConfig(root, { env: {}, home }).then(
        () => null,
        (error) => error,
      );
    };
    expect(await fails({ tools: { disabled: ['shel_exec'] } })).toMatchObject({
      code: 'CONFIG_INVALID',
      fix: 'Did you mean shell_exec?',
    });
    expect(await fails({ prompt: { system_template: 'codding' } })).toMatchObject({ code: 'CONFIG_INVALID' });
    const rules = [{ decision: 'allow', command: ['npm', 'test'], match: ['npm install'] }];
    expect(await fails({ safety: { rules } })).toMatchObject({ code: 'POLICY_INVALID' });
  });

  test('needs no files of settings', async () => {
    const { agent } = await agentFromConfig(workspace({ 'script.json': '[]' }), {
      env: { TACHO_LLM_PROVIDER: 'scripted', TACHO_MODELS_EXECUTOR: 'script.json' },
      home: workspace(),
    });
    expect(agent.options.model.id).toBe('scripted:script.json');
  });
});
