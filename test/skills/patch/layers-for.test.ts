import { describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../../src/config/defaults.ts';
import { DONE_MARKER, type RunMode, skillManifestSchema } from '../../../src/protocol/index.ts';
import { layersFor, patchSkill, readSkillTexts, type SkillTexts, unpatchSkill } from '../../../src/skills/index.ts';

const OBJECT = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
const shipped = readSkillTexts({ settings: DEFAULTS.skills, workspaceRoot: '/' });

interface Case {
  output?: unknown;
  manifest?: object;
  mode?: RunMode;
  texts?: SkillTexts;
}

function layersOf({ output, manifest = {}, mode = 'auto', texts = shipped }: Case) {
  const skill = { manifest: skillManifestSchema.parse(manifest), schemas: output === undefined ? {} : { output } };
  return layersFor({ skill, mode, artifactsFolder: '/data/run/artifacts', texts });
}

function textOf(layer: string, given: Case): string {
  return layersOf(given).find((one) => one.layer === layer)?.text ?? '';
}

describe('the layers of a run', () => {
  test('come in order, with the version and hash of their files and of what became of them', () => {
    const layers = layersOf({ output: OBJECT });
    expect(layers.map(({ layer, version }) => `${layer} ${version}`)).toEqual([
      'artifacts 1',
      'completion 1',
      'output 1',
      'mode 1',
    ]);
    expect(layers[1]!.sha256).toBe(shipped['completion-object']!.sha256);
    const elsewhere = layersFor({
      skill: { manifest: skillManifestSchema.parse({}), schemas: { output: OBJECT } },
      mode: 'auto',
      artifactsFolder: '/elsewhere',
      texts: shipped,
    });
    expect(elsewhere[0]!.sha256).toBe(layers[0]!.sha256);
    expect(elsewhere[0]!.rendered_sha256).not.toBe(layers[0]!.rendered_sha256);
  });

  test('differ between the modes in the mode layer alone', () => {
    const auto = layersOf({ output: OBJECT });
    const interactive = layersOf({ output: OBJECT, mode: 'interactive' });
    expect(interactive.slice(0, 3)).toEqual(auto.slice(0, 3));
    expect(interactive[3]).not.toEqual(auto[3]);
  });

  test('leave no placeholder behind, and each can be switched off', () => {
    for (const given of [
      {},
      { output: OBJECT },
      { output: OBJECT, manifest: { entrypoint: { result_json_filename: 'r.json' } } },
    ]) {
      for (const { text } of layersOf({ ...given, mode: 'interactive' })) expect(text).not.toMatch(/\{\{|\}\}/);
    }
    for (const off of ['artifacts', 'completion', 'output', 'mode'] as const) {
      const layers = DEFAULTS.skills.layers.filter((layer) => layer !== off);
      const texts = readSkillTexts({ settings: { layers, texts: {} }, workspaceRoot: '/' });
      expect(layersOf({ output: OBJECT, texts }).map(({ layer }) => layer)).toEqual(layers);
    }
  });

  test('take the values of a run as text, also where they look like placeholders', () => {
    const manifest = skillManifestSchema.parse({ artifacts: [{ pattern: '{{artifacts_folder}}' }] });
    const [artifacts] = layersFor({
      skill: { manifest, schemas: {} },
      mode: 'auto',
      artifactsFolder: '/$&/{{marker}}',
      texts: shipped,
    });
    expect(artifacts!.text).toContain('`/$&/{{marker}}`');
    expect(artifacts!.text).toContain('`{{artifacts_folder}}`');
  });

  test('patch and restore a skill', () => {
    const text = Buffer.from('---\r\nname: a\r\n---\r\nBody');
    const patched = patchSkill(text, layersOf({ output: OBJECT }));
    expect(patched.toString()).toContain('## How to finish');
    expect(unpatchSkill(patched).equals(text)).toBe(true);
  });
});

describe('the completion contract', () => {
  const separate = { manifest: { entrypoint: { result_json_filename: 'result.json' } } };

  test('puts the marker into a result that is an object, and shows it in the example', () => {
    expect(textOf('completion', { output: OBJECT })).toContain('add this key to that object');
    expect(textOf('output', { output: OBJECT })).toContain(`  "title": "…",\n  ${DONE_MARKER}\n}`);
  });

  test.each([
    ['text', {}],
    ['an array', { output: { type: 'array' } }],
    ['an object or null', { output: { type: ['object', 'null'] } }],
    ['a file', { output: OBJECT, ...separate }],
  ])('asks for one separate done object when the result is %s', (_, given) => {
    expect(textOf('completion', given)).toContain(`\n{${DONE_MARKER}}\n`);
    expect(textOf('output', given)).not.toContain('__SKILL_DONE__');
  });

  test('leaves the marker out of the example when the layer is off', () => {
    const texts = readSkillTexts({ settings: { layers: ['output'], texts: {} }, workspaceRoot: '/' });
    expect(textOf('output', { output: OBJECT, texts })).not.toContain('__SKILL_DONE__');
  });

  test('is in upper case, and forbids the marker before questions are answered', () => {
    const all = [{}, { output: OBJECT }].flatMap((given) => layersOf({ ...given, mode: 'interactive' }));
    expect(all.map(({ text }) => text).join('\n')).not.toContain('__skill_done__');
    expect(textOf('mode', { mode: 'interactive' })).toContain(`Never write \`${DONE_MARKER}\` in a message that asks`);
  });
});

describe('the artifact layer', () => {
  test('names the folder and the files of the manifest', () => {
    const manifest = {
      entrypoint: { result_json_filename: 'result.json' },
      artifacts: [{ pattern: 'report/**', role: 'report', mime: 'text/csv', required: true }, { pattern: '*.log' }],
    };
    const text = textOf('artifacts', { manifest });
    expect(text).toContain('`/data/run/artifacts`');
    expect(text).toContain(
      '- `result.json`: the result, as JSON (required)\n- `report/**`: report, text/csv (required)\n- `*.log`',
    );
  });

  test('says that all files count when the manifest names none', () => {
    expect(textOf('artifacts', {})).toContain('- all files');
  });

  test('has the result file below the folder', () => {
    const manifest = { entrypoint: { result_json_filename: 'out/result.json' } };
    expect(textOf('output', { manifest, output: OBJECT })).toContain('`/data/run/artifacts/out/result.json`');
  });
});
