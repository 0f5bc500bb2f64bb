import type { ModelRequest } from './model-request.ts';

/** What a request has of the skill that its prompt names. */
export interface SkillTask {
  /** The SKILL.md in the prompt; null if it names none. */
  file: string | null;
  /** The folder for files, by the contract; null while the request does not hold the contract. */
  artifacts: string | null;
}

const SKILL_FILE = /\bread (\/\S+\/SKILL\.md)/;
/** The sentence before the folder, as tacho adds it to a skill. */
const ARTIFACTS = /which exists already:\s*`(\/[^`\n]+)`/;
const CONTRACT = /tacho:layer completion\b/;

export function skillTaskOf({ instructions, turns }: ModelRequest): SkillTask {
  // Agents may add texts of their own after the prompt.
  const asked = turns.flatMap(({ role, texts }) => (role === 'user' ? texts : [])).join('\n');
  const file = SKILL_FILE.exec(asked)?.[1] ?? null;
  // Whatever the model itself said does not count.
  const heard = turns.flatMap(({ role, texts }) => (role === 'assistant' ? [] : texts));
  // Some agents pass the output of a command on as JSON.
  const text = [instructions, ...heard].join('\n').replaceAll('\\n', '\n');
  return { file, artifacts: CONTRACT.test(text) ? (ARTIFACTS.exec(text)?.[1] ?? null) : null };
}
