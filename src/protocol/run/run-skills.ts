import * as z from 'zod';
import { SKILL_NAME_PATTERN, SKILL_NAMESPACE_PATTERN } from '../skill/skill-name.ts';
import { text } from './run-limits.ts';

/** The longest mention has 7 segments of 64 characters and a name. */
const MAX_MENTION_BYTES = 600;
const MAX_SKILLS = 500;
/** Of the input and the parameters, each as JSON. */
const MAX_JSON_CHARS = 500_000;

const skillArgument = text(MAX_MENTION_BYTES).min(1);

const isSmall = (value: unknown) => value === undefined || JSON.stringify(value).length <= MAX_JSON_CHARS;
const tooLarge = `has more than ${MAX_JSON_CHARS} characters as JSON`;

/** The fields of a request that are about skills. */
export const skillFields = {
  skill: skillArgument
    .optional()
    .describe('The skill that the run is about: its name or mention. The prompt may be left out.'),
  skills: z
    .union([z.enum(['all', 'none']), z.array(skillArgument).max(MAX_SKILLS)])
    .optional()
    .describe('More skills that the engine can use. Without it, those that the prompt mentions.'),
  input: z
    .unknown()
    .refine(isSmall, tooLarge)
    .optional()
    .describe('Any JSON, checked against the input schema of the skill.'),
  parameters: z
    .record(z.string().max(256), z.unknown())
    .refine(isSmall, tooLarge)
    .optional()
    .describe('Checked against the parameter schema of the skill.'),
};

/**
 * A skill of a run as it was when the run was accepted. Its files are kept by their hash, so later attempts use the same
 * bytes.
 */
export const takenPackageSchema = z.strictObject({
  role: z.enum(['main', 'extra']).describe('`main`: the skill of the run. `extra`: one that the engine can use.'),
  namespace: z.string().regex(SKILL_NAMESPACE_PATTERN),
  name: z.string().regex(SKILL_NAME_PATTERN),
  version: z.string().nullable(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('Of all files of its package.'),
  location: z.string().describe('Where it was found.'),
  prompt: z.string().optional().describe('Its own prompt for the engine of the run.'),
});
export type TakenPackage = z.infer<typeof takenPackageSchema>;

/** A skill that is left out of `all`, or of those that the prompt mentions, and why. */
export const skippedSkillSchema = z.strictObject({
  skill: z.string().describe('Its mention.'),
  code: z.string().describe('An error code, such as SKILL_ENV_MISSING.'),
  message: z.string(),
});
export type SkippedSkill = z.infer<typeof skippedSkillSchema>;

export const skippedSkillsSchema = z.array(skippedSkillSchema).max(MAX_SKILLS);

export const takenPackagesSchema = z.array(takenPackageSchema).max(MAX_SKILLS + 1);
