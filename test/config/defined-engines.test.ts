import fs from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/all.ts';
import { expandAlias } from '../../src/cli/launch/aliases.ts';
import { checkConfig, configValue, explainConfig, loadConfig, setConfig, unsetConfig } from '../../src/config/index.ts';
import { trustFolder } from '../support/trust.ts';
import { failure, loadTrusted, loadYaml, problemsOf, workspace } from './workspace.ts';

const messagesOf = (text: string) => problemsOf(() => loadYaml(text)).map(({ message }) => message);
const engine = (keys: string) => `engines:\n  my-agent:\n${keys.replaceAll(/^/gm, '    ')}\n`;

describe('an engine in the configuration', () => {
  test('stands beside the other keys of its section', () => {
    const loaded = loadYaml(`engines:\n  folder: tools\n  my-agent:\n    extends: codex\n    command: [my-agent]\n`);
    expect(loaded.config.engines).toEqual({
      folder: 'tools',
      no_progress_timeout_ms: 600_000,
      defined: { 'my-agent': { extends: 'codex', command: ['my-agent'] } },
    });
    expect(explainConfig(loaded, 'engines.my-agent')).toEqual([
      'engines.my-agent.extends = "codex" ← config/tacho.yaml:4:5',
      'engines.my-agent.command = ["my-agent"] ← config/tacho.yaml:5:5',
    ]);
    expect(explainConfig(loaded, 'engines.my-agent.command')[1]).toContain('Its program');
    expect(configValue(loaded, 'engines').value).toMatchObject({ folder: 'tools', 'my-agent': { extends: 'codex' } });
    expect(loaded.settings).toContainEqual(
      expect.objectContaining({ from: 'workspace_trusted', keys: ['engines.folder', 'engines.my-agent'] }),
    );
  });

  test('is merged value by value over the layers, and removed by null', () => {
    const root = workspace({
      'config/tacho.yaml': engine('extends: codex\ntitle: One'),
      'more.yaml': engine('title: Two'),
    });
    const load = (...paths: string[]) =>
      loadTrusted({ workspaceRoot: root, env: { TACHO_CONFIG_PATHS: paths.join(',') } }).config.engines.defined;
    expect(load('more.yaml')).toEqual({ 'my-agent': { extends: 'codex', title: 'Two' } });
    fs.writeFileSync(path.join(root, 'less.yaml'), 'engines: { my-agent: null }\n');
    expect(load('less.yaml')).toEqual({});
  });

  test('can be set and removed by tacho config', async () => {
    const dataFolder = workspace();
    const request = { workspaceRoot: workspace(), env: {}, dataFolder, file: 'user' } as const;
    await setConfig(request, 'engines.my-agent', '{extends: codex, command: [my-agent]}');
    await setConfig(request, 'engines.my-agent.signals', '{"terminal": ["done"]}');
    expect(loadConfig(request).config.engines.defined).toEqual({
      'my-agent': { extends: 'codex', command: ['my-agent'], signals: { terminal: ['done'] } },
    });
    await unsetConfig(request, 'engines.my-agent');
    expect(loadConfig(request).config.engines.defined).toEqual({});
    await expect(setConfig(request, 'engines.my-agent.title', 'Mine')).rejects.toThrow(
      'engines.my-agent.extends is missing',
    );
    await expect(setConfig(request, 'engines.foldr', '/tmp')).rejects.toThrow('did you mean engines.folder?');
  });

  test('can come from a variable', () => {
    const env = { TACHO_ENGINES: '{"my-agent": {"extends": "pi"}}' };
    expect(loadConfig({ workspaceRoot: workspace(), env }).config.engines.defined).toEqual({
      'my-agent': { extends: 'pi' },
    });
  });
});

describe('a definition is refused with the place of the mistake:', () => {
  test.each([
    ['no base', 'title: Mine', 'config/tacho.yaml:2:3: engines.my-agent.extends is missing; it must be codex, gemini'],
    ['an unknown base', 'extends: codx', 'config/tacho.yaml:3:14: engines.my-agent.extends must be codex'],
    [
      'an unknown key',
      'extends: pi\ncomand: [x]',
      'config/tacho.yaml:4:5: unknown key engines.my-agent.comand; did you mean command?',
    ],
    [
      'an empty command',
      'extends: pi\ncommand: []',
      'config/tacho.yaml:4:14: engines.my-agent.command must be a list of at least one word',
    ],
    [
      'a number',
      'extends: pi\ncommand: [x, 1]',
      'config/tacho.yaml:4:18: engines.my-agent.command must be a list of at least one word, but item 2 is 1',
    ],
    [
      'no prompt',
      'extends: pi\nstart: [run]',
      'config/tacho.yaml:4:12: engines.my-agent.start must be a list of words with {prompt}',
    ],
    ['no prompt: the reason', 'extends: pi\nstart: [run]', '{prompt} is missing'],
    ['no session', "extends: pi\nresume: ['{prompt}']", '{session} is missing'],
    ['a misspelled placeholder', "extends: pi\nstart: ['{prompt}', '{modle}']", 'did you mean {model} by {modle}?'],
    [
      'a wrong condition',
      "extends: pi\nstart: ['{prompt}', {when: colour, words: [x]}]",
      'config/tacho.yaml:4:32: engines.my-agent.start[1].when must be one of prompt, session',
    ],
    [
      'a nested key',
      'extends: pi\nsignals: {terminal: [a], faild: [b]}',
      'unknown key engines.my-agent.signals.faild; did you mean failed?',
    ],
    [
      'a nested value',
      'extends: pi\nsignals: {terminal: done}',
      'config/tacho.yaml:4:25: engines.my-agent.signals.terminal must be',
    ],
    [
      'a variable name',
      "extends: pi\nenvironment: {set: {'1A': x}}",
      'engines.my-agent.environment.set.1A: is not a valid variable name',
    ],
    [
      'a variable value',
      'extends: pi\nenvironment: {set: {A: 1}}',
      'config/tacho.yaml:4:28: engines.my-agent.environment.set.A must be',
    ],
    ['plain text without arguments', 'extends: text', 'engines.my-agent.start is required with extends: text'],
    [
      'phases of plain text',
      "extends: text\nstart: ['{prompt}']\nsignals: {terminal: [x]}",
      'engines.my-agent.signals cannot be used with extends: text',
    ],
  ])('%s', (_, keys, message) => {
    expect(messagesOf(engine(keys)).join('\n')).toContain(message);
  });

  test.each(['codex', 'text', 'terminal', 'run', 'defined', 'My', '9', 'a b', 'x'.repeat(41)])(
    'the name %j',
    (name) => {
      const [message] = messagesOf(`engines:\n  ${JSON.stringify(name)}: { extends: codex }\n`);
      expect(message).toContain(`config/tacho.yaml:2:3: engines: invalid name ${JSON.stringify(name)}`);
    },
  );

  test('a value that is not a map is an unknown key of the section', () => {
    expect(messagesOf('engines:\n  foldr: tools\n')).toEqual([
      'config/tacho.yaml:2:3: unknown key engines.foldr; did you mean engines.folder?',
    ]);
    expect(messagesOf('engines:\n  foldr:\n')[0]).toContain('did you mean engines.folder?');
  });
});

test('no command of tacho and no other name of one can be the name of an engine', () => {
  const program = new Command();
  for (const register of COMMANDS) register(program, []);
  const words = [...program.commands.map((one) => one.name()), 'ls', 'list', 'ps', 'version', 'help'];
  for (const word of words)
    expect(messagesOf(`engines: { ${word}: { extends: codex } }\n`)[0]).toContain('invalid name');
  for (const word of ['ls', 'list', 'ps', 'version']) expect(expandAlias([word])).not.toEqual([word]);
});

describe('a profile folder', () => {
  const PROFILE = 'extends: codex\ntitle: Mine\ncommand: [node, ./agent.mjs]\n';
  const NAMED = engine('folder: tools/agent\ntitle: Ours');

  test('holds the rest of a definition; its own files are found from there', () => {
    const root = workspace({ 'config/tacho.yaml': NAMED, 'tools/agent/engine.yaml': PROFILE });
    const loaded = loadTrusted({ workspaceRoot: root, env: {} });
    expect(loaded.config.engines.defined['my-agent']).toEqual({
      extends: 'codex',
      folder: 'tools/agent',
      title: 'Ours',
      command: ['node', path.join(root, 'tools/agent/agent.mjs')],
    });
    expect(explainConfig(loaded, 'engines.my-agent')).toContain(
      'engines.my-agent.title = "Ours" ← config/tacho.yaml:4:5 (over tools/agent/engine.yaml:2:1)',
    );
  });

  test('needs trust with the workspace, and a change of it ends the trust', () => {
    const root = workspace({ 'config/tacho.yaml': NAMED, 'tools/agent/engine.yaml': 'not: [yaml\n' });
    const dataFolder = workspace();
    const load = () => loadConfig({ workspaceRoot: root, env: {}, dataFolder });
    expect(load().config.engines.defined).toEqual({});
    expect(load().workspace.needsTrust.map((one) => one.path)).toContain('engines.my-agent.folder');
    fs.writeFileSync(path.join(root, 'tools/agent/engine.yaml'), PROFILE);
    const { asksFor } = loadConfig({ workspaceRoot: root, env: {}, dataFolder, asIfTrusted: true }).workspace;
    expect(asksFor.map((one) => one.path)).toContain('engines.my-agent.command');
    trustFolder(root, { env: {}, dataFolder });
    expect(Object.keys(load().config.engines.defined)).toEqual(['my-agent']);
    fs.appendFileSync(path.join(root, 'tools/agent/engine.yaml'), '\n');
    expect(load().config.engines.defined).toEqual({});
  });

  test('of the user is theirs, unless it is in the workspace', () => {
    const root = workspace({ 'agent/engine.yaml': PROFILE });
    const elsewhere = workspace({ 'engine.yaml': PROFILE });
    const load = (folder: string) => {
      const dataFolder = workspace({ 'config.yaml': engine(`folder: ${folder}`), 'own/engine.yaml': PROFILE });
      return loadConfig({ workspaceRoot: root, env: {}, dataFolder });
    };
    expect(load(elsewhere).config.engines.defined['my-agent']).toMatchObject({ title: 'Mine' });
    expect(load('own').config.engines.defined['my-agent']).toMatchObject({ title: 'Mine' });
    const inside = load(path.join(root, 'agent'));
    expect(inside.config.engines.defined).toEqual({});
    expect(inside.settings).toContainEqual({
      from: 'workspace_ignored',
      file: path.join(root, 'agent/engine.yaml'),
      keys: ['engines.my-agent'],
    });
  });

  test('is refused with the place of the mistake, in either file', () => {
    const load = (profile: string) => () =>
      loadTrusted({
        workspaceRoot: workspace({ 'config/tacho.yaml': NAMED, 'tools/agent/engine.yaml': profile }),
        env: {},
      });
    expect(failure(load('extends: codex\nstrat: [x]\n')).message).toBe(
      'tools/agent/engine.yaml:2:1: unknown key engines.my-agent.strat; did you mean start?',
    );
    expect(failure(load('extends: codex\nfolder: more\n')).message).toContain(
      'tools/agent/engine.yaml:2:1: a profile folder',
    );
    expect(failure(load('[]\n')).message).toContain('tools/agent/engine.yaml:1:1: engines.my-agent must be a map');
    const missing = workspace({ 'config/tacho.yaml': NAMED });
    expect(checkConfig({ workspaceRoot: missing, env: {} }).map(({ message }) => message)).toEqual([
      `config/tacho.yaml:3:5: engines.my-agent.folder: there is no engine.yaml in ${path.join(missing, 'tools/agent')}`,
    ]);
  });
});
