import * as z from 'zod';
import { SKILL_LAYERS } from './skill-layer.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A skill as the engine of an attempt got it. */
export const deliveredSkillSchema = z.strictObject({
  role: z.enum(['main', 'extra']),
  namespace: z.string(),
  name: z.string(),
  version: z.string().nullable(),
  sha256: sha256.describe('Of all files of its package, as they were accepted.'),
  path: z.string().describe('The SKILL.md that the engine got.'),
  delivery: z
    .enum(['engine', 'message'])
    .describe('`engine`: the engine looks for skills there. `message`: only the message names it.'),
  layers: z
    .array(
      z.strictObject({
        layer: z.enum(SKILL_LAYERS),
        version: z.string().describe('Of the text.'),
        sha256: sha256.describe('Of the file of the text.'),
        rendered_sha256: sha256.describe('Of the text with the values of this run.'),
      }),
    )
    .describe('Added to its SKILL.md by tacho.'),
});
export type DeliveredSkill = z.infer<typeof deliveredSkillSchema>;
