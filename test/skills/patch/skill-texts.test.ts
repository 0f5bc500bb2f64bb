import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../../src/config/defaults.ts';
import { loadConfig } from '../../../src/config/index.ts';
import { SKILL_TEXTS } from '../../../src/protocol/index.ts';
import { layersFor, readSkillTexts } from '../../../src/skills/index.ts';
import { failure, loadYaml, workspace } from '../../config/workspace.ts';
import { temporaryFolder, writeFiles } from '../skill-folder.ts';

const OWN = '<!-- tacho:text mode-auto 2.1 -->\n\nWork alone. {{marker}}\n';

function readOwn(content: string | Uint8Array | null, text = 'mode-auto') {
  const workspaceRoot = temporaryFolder();
  if (content !== null) writeFiles(workspaceRoot, { 'own.md': content });
  const settings = { layers: DEFAULTS.skills.layers, texts: { [text]: { file: 'own.md' } } };
  return { file: path.join(workspaceRoot, 'own.md'), read: () => readSkillTexts({ settings, workspaceRoot }) };
}

test('every text that tacho comes with can be read', () => {
  const texts = readSkillTexts({ settings: DEFAULTS.skills, workspaceRoot: '/' });
  expect(Object.keys(texts)).toEqual(Object.keys(SKILL_TEXTS));
  const folder = path.resolve(import.meta.dirname, '../../../src/skills/patch/texts');
  expect(fs.readdirSync(folder).sort()).toEqual(
    Object.keys(SKILL_TEXTS)
      .map((name) => `${name}.md`)
      .sort(),
  );
});

test('a text of the configuration replaces that of tacho, with its own version', () => {
  const texts = readOwn(OWN).read();
  expect(texts['mode-auto']).toMatchObject({ version: '2.1', template: 'Work alone. {{marker}}' });
  expect(texts['mode-interactive']!.version).toBe('1');
  const manifest = {
    entrypoint: { prompts: {} },
    artifacts: [],
    execution_modes: [],
    unsupported_engines: [],
    schemas: {},
  } as never;
  const layers = layersFor({ skill: { manifest, schemas: {} }, mode: 'auto', artifactsFolder: '/a', texts });
  expect(layers.at(-1)!.text).toBe('Work alone. "__SKILL_DONE__": true');
});

describe('a text that cannot be used is refused by its name and file', () => {
  test.each([
    ['missing', null, 'is missing'],
    ['empty', ' \n', 'is empty'],
    ['without a text below its version', '<!-- tacho:text mode-auto 1 -->\n\n', 'is empty'],
    ['without a version', '# No questions\n', 'does not begin with a line such as <!-- tacho:text mode-auto 1 -->'],
    ['with a version that cannot be written', '<!-- tacho:text mode-auto 1_0 -->\nText\n', 'has the version "1_0"'],
    [
      'that is another text',
      '<!-- tacho:text mode-interactive 1 -->\nText\n',
      'is the text "mode-interactive", not mode-auto',
    ],
    [
      'with an unknown placeholder',
      `${OWN}{{ answer }}\n`,
      'has the placeholder "{{ answer }}"; it can have {{marker}}',
    ],
    ['not in UTF-8', Buffer.from([0xff, 0xfe]), 'is not UTF-8'],
    ['too large', OWN + 'x'.repeat(70_000), 'is larger than 65536 bytes'],
  ])('%s', (_, content, why) => {
    const { file, read } = readOwn(content);
    const { code, message, facts } = failure(read);
    expect(code).toBe('SKILL_TEXT_INVALID');
    expect(message).toContain(why);
    expect(facts).toEqual({ text: 'mode-auto', path: file });
  });

  test('a folder', () => {
    const { file, read } = readOwn(null);
    fs.mkdirSync(file);
    expect(failure(read)).toMatchObject({
      code: 'SKILL_TEXT_INVALID',
      message: expect.stringContaining('cannot be read'),
    });
  });
});

describe('the setting skills.texts', () => {
  const yaml = 'skills:\n  layers: [mode]\n  texts:\n    mode-auto: { file: own.md }\n';

  test('is read from files that count', () => {
    const { config } = loadYaml(yaml);
    expect(config.skills).toMatchObject({ layers: ['mode'], texts: { 'mode-auto': { file: 'own.md' } } });
  });

  test('of an untrusted folder is ignored', () => {
    const { config } = loadConfig({
      workspaceRoot: workspace({ 'config/tacho.yaml': yaml }),
      env: {},
      dataFolder: workspace(),
    });
    expect(config.skills).toMatchObject({ layers: DEFAULTS.skills.layers, texts: {} });
  });

  test.each([
    ['an unknown text', 'skills:\n  texts:\n    other: { file: own.md }\n', 'invalid name "other": one of artifacts'],
    [
      'an unknown layer',
      'skills:\n  layers: [other]\n',
      'skills.layers must be a list of artifacts, completion, output, mode',
    ],
    ['a text without a file', 'skills:\n  texts:\n    mode-auto: {}\n', 'skills.texts.mode-auto'],
  ])('refuses %s', (_, text, message) => {
    expect(failure(() => loadYaml(text))).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(message),
    });
  });
});
