import fs from 'node:fs';
import path from 'node:path';
import type { NewRun } from '../../../src/client/index.ts';
import { DEFAULTS } from '../../../src/config/index.ts';
import type { SettledRequest } from '../../../src/protocol/index.ts';
import type { RunContext, SkippedSkill } from '../../../src/runs/index.ts';
import { locateDataHome } from '../../../src/runs/index.ts';
import { parseRunRequest, settleRequest } from '../../../src/runs/request/settle-request.ts';
import { takeSkills } from '../../../src/runs/skills/take-skills.ts';
import { skillFile, temporaryFolder, writeFiles } from '../../skills/skill-folder.ts';

type Files = Readonly<Record<string, string>>;

const INPUT_SCHEMA = {
  type: 'object',
  properties: { path: { type: 'string' }, depth: { type: 'integer', minimum: 1 } },
  required: ['path'],
  additionalProperties: false,
};

/** A skill with everything that a manifest can have. */
export const REVIEW: Files = {
  'SKILL.md': skillFile('review', { body: '# Review\nRead the diff.\n' }),
  'scripts/count.sh': '#!/bin/sh\nwc -l\n',
  'assets/runner.json': JSON.stringify({
    id: 'review',
    version: '1.2.0',
    execution_modes: ['auto', 'interactive'],
    engines: ['codex', 'demo'],
    max_attempt: 4,
    schemas: { input: 'assets/input.json', parameter: 'assets/parameter.json' },
    entrypoint: { prompts: { common: 'Review it.', codex: 'Review it with care.' } },
  }),
  'assets/input.json': JSON.stringify(INPUT_SCHEMA),
  'assets/parameter.json': JSON.stringify({ type: 'object', properties: { strict: { type: 'boolean' } } }),
};

/** A data folder with skills of the user, and requests that are taken there. */
export function skilled(skills: Readonly<Record<string, Files>>, config: Partial<typeof DEFAULTS.skills> = {}) {
  const [root, workspace] = [temporaryFolder(), temporaryFolder()];
  const own = path.join(root, 'skills');
  for (const [name, files] of Object.entries(skills)) writeFiles(path.join(own, name), files);
  if (skills.review?.['scripts/count.sh']) fs.chmodSync(path.join(own, 'review/scripts/count.sh'), 0o755);
  const context: RunContext = {
    home: locateDataHome({}, root),
    config: { ...DEFAULTS, skills: { ...DEFAULTS.skills, ...config } },
    env: { PATH: process.env.PATH, GITHUB_TOKEN: 'ghp_example' },
    version: '0',
  };
  const skipped: SkippedSkill[] = [];
  const take = (wanted: NewRun): Promise<SettledRequest> =>
    takeSkills(
      settleRequest(parseRunRequest({ engine: 'codex', cwd: workspace, ...wanted }), context),
      context,
      (one) => void skipped.push(one),
    );
  return { root, own, workspace, context, skipped, take };
}

/** A skill with nothing but a text. */
export function plainSkill(name: string, more = ''): Files {
  return { 'SKILL.md': skillFile(name, { more }) };
}
