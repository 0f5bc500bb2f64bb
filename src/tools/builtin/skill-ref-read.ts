import { tool } from '../define-tool.ts';
import { MAX_OUTPUT_CHARS } from '../registry.ts';
import { ToolFailure } from '../tool-failure.ts';
import { fileOf, findSkill } from './skill-files.ts';
import { decodeText } from './text-file.ts';

interface RefInput {
  skill: string;
  path: string;
  max_bytes?: number;
}

export const skillRefRead = tool<RefInput>({
  name: 'skill_ref_read',
  description: 'Read a reference file of a skill, such as references/api.md. Its own text is read by mentioning it.',
  input: {
    type: 'object',
    properties: {
      skill: { type: 'string', minLength: 1, description: 'Mention, such as $[team:product].review, or its name' },
      path: { type: 'string', minLength: 1, description: 'Path below the folder of the skill' },
      max_bytes: { type: 'integer', minimum: 1, maximum: MAX_OUTPUT_CHARS },
    },
    required: ['skill', 'path'],
    additionalProperties: false,
  },
  concurrency: 'shared',
  hasEffects: false,
  execute: async ({ skill: argument, path, max_bytes = MAX_OUTPUT_CHARS }, context) => {
    if (/^(\.\/)*SKILL\.md$/i.test(path)) {
      throw new ToolFailure('not_permitted', `the text of a skill is not a reference; mention ${argument} to get it`);
    }
    const { skill, files } = await findSkill(argument, context);
    const { bytes } = fileOf(files, path, skill);
    const isWhole = bytes.length <= max_bytes;
    const text = decodeText(path, bytes.subarray(0, max_bytes), { isWhole });
    const data = { skill: skill.name, namespace: skill.namespace, path, bytes: bytes.length };
    return { ok: true, stdout: text, truncated: !isWhole, data };
  },
});
