import { SKILL_NAME_PATTERN, SKILL_NAME_RULE, TachoError } from '../../protocol/index.ts';
import { quoted } from '../quoted.ts';
import { SKILL_FILE } from '../skill.ts';
import { MANIFEST_FILE } from './check-manifest.ts';
import type { PackageFiles } from './package-files.ts';

export interface NewSkill {
  name: string;
  description?: string | undefined;
  /** Whether it gets an `assets/runner.json`, and JSON Schemas of its input and output. */
  withSchemas?: boolean | undefined;
}

const DESCRIPTION = 'Describe what this skill does, and when to use it.';

/** The files of a skill to begin with. They have no problems. */
export function newSkillFiles({ name, description = DESCRIPTION, withSchemas = false }: NewSkill): PackageFiles {
  if (!SKILL_NAME_PATTERN.test(name)) {
    throw new TachoError('SKILL_FIELD_INVALID', `${quoted(name)} cannot be the name of a skill`, {
      facts: { name: name.slice(0, 1000) },
      fix: `A name has ${SKILL_NAME_RULE}.`,
    });
  }
  const files = new Map([[SKILL_FILE, skillText(name, description)]]);
  if (withSchemas) {
    files.set(MANIFEST_FILE, asJson(manifestOf(name)));
    files.set(
      'assets/input.json',
      asJson(objectSchema('The input of a run.', 'path', 'The file or folder to work on.')),
    );
    files.set('assets/output.json', asJson(objectSchema('The result of a run.', 'summary', 'A summary of the work.')));
  }
  return new Map(Array.from(files, ([file, text]) => [file, { bytes: Buffer.from(text), isExecutable: false }]));
}

function skillText(name: string, description: string): string {
  return `---
name: ${name}
description: ${JSON.stringify(description.trim() === '' ? DESCRIPTION : description)}
---
# ${name}

Write the instructions here, as for a colleague who knows the tools but not the task:

1. What to look at first.
2. What to do, step by step.
3. What a good result looks like.

Scripts belong into \`scripts/\`, longer texts into \`references/\`. Name them here, so that they are found.
`;
}

function manifestOf(name: string) {
  return {
    id: name,
    version: '0.1.0',
    execution_modes: ['auto'],
    schemas: { input: 'assets/input.json', output: 'assets/output.json' },
    entrypoint: { prompts: { common: `Use the skill ${name}.` } },
  };
}

function objectSchema(description: string, key: string, about: string) {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    description,
    type: 'object',
    properties: { [key]: { type: 'string', description: about } },
    required: [key],
  };
}

function asJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
