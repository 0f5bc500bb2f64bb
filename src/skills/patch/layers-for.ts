import path from 'node:path';
import {
  DONE_KEY,
  DONE_MARKER,
  type RunMode,
  SKILL_TEXTS,
  type SkillManifest,
  type SkillTextName,
} from '../../protocol/index.ts';
import type { SkillPackage } from '../package/check-package.ts';
import { onOneLine } from '../quoted.ts';
import { sha256 } from '../stored-skill.ts';
import { outputExample } from './output-example.ts';
import { outputFields } from './output-fields.ts';
import type { SkillLayer } from './patch-skill.ts';
import { isObjectSchema } from './schema-shape.ts';
import { fillIn, type SkillTexts } from './skill-texts.ts';

export interface LayersRequest {
  skill: Pick<SkillPackage, 'manifest' | 'schemas'>;
  mode: RunMode;
  /** Where the run puts its files, as an absolute path. */
  artifactsFolder: string;
  texts: SkillTexts;
}

/** The layers of a skill for one run. A layer without a text is switched off. */
export function layersFor(request: LayersRequest): SkillLayer[] {
  const { skill, mode, artifactsFolder, texts } = request;
  const { output } = skill.schemas;
  const resultFile = skill.manifest.entrypoint.result_json_filename;
  const isObject = resultFile === undefined && isObjectSchema(output);
  const names: SkillTextName[] = ['artifacts', isObject ? 'completion-object' : 'completion-separate'];
  if (output !== undefined) names.push(resultFile === undefined ? 'output-message' : 'output-file');
  names.push(`mode-${mode}`);
  const hasMarker = isObject && texts['completion-object'] !== undefined;
  const values = {
    marker: DONE_MARKER,
    done_object: `{${DONE_MARKER}}`,
    artifacts_folder: artifactsFolder,
    artifacts: describeArtifacts(skill.manifest),
    result_file: path.join(artifactsFolder, resultFile ?? ''),
    fields: output === undefined ? '' : outputFields(output),
    example: output === undefined ? '' : describeExample(outputExample(output), hasMarker),
  };
  return names.flatMap((name) => {
    const template = texts[name];
    if (!template) return [];
    const text = fillIn(template, values);
    const { version, sha256: hash } = template;
    return [{ layer: SKILL_TEXTS[name], version, sha256: hash, rendered_sha256: sha256(text), text }];
  });
}

/** Without patterns, all files are artifacts. */
function describeArtifacts({ artifacts, entrypoint }: SkillManifest): string {
  const result = entrypoint.result_json_filename;
  const files = [
    ...(result === undefined ? [] : [`- \`${result}\`: the result, as JSON (required)`]),
    ...artifacts.map(({ pattern, role, mime, required }) => {
      const about = [role, mime].filter((part) => part !== undefined).join(', ');
      return `- \`${pattern}\`${about === '' ? '' : `: ${onOneLine(about)}`}${required ? ' (required)' : ''}`;
    }),
    ...(artifacts.length === 0 ? [`- ${result === undefined ? 'all' : 'all other'} files`] : []),
  ];
  return `These files are delivered, by their paths below the folder:\n\n${files.join('\n')}`;
}

/** The done marker comes last, so that a result that is cut off does not have it. */
function describeExample(example: unknown, hasMarker: boolean): string {
  const isMap = typeof example === 'object' && example !== null && !Array.isArray(example);
  const shown = hasMarker && isMap ? { ...example, [DONE_KEY]: true } : example;
  return `\`\`\`json\n${JSON.stringify(shown, null, 2)}\n\`\`\``;
}
