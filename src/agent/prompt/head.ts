import type { SkillLibrary } from '../../skills/index.ts';
import type { PromptPiece } from './pieces.ts';
import { templateText } from './templates.ts';

/** The texts that every prompt begins with. */
export interface PromptOptions {
  /** Name of a template, `coding` (default) or `plain`. */
  template?: string | undefined;
  /** A text in place of a template; `{workspace}` becomes the path of the workspace. */
  system?: string | PromptPiece | undefined;
  /** Rules of the program or of its user, added to the system message. */
  developer?: string | PromptPiece | readonly PromptPiece[] | undefined;
  /** Whether skills are listed and injected; on by default if there are any. */
  skills?: 'on' | 'off' | undefined;
}

export interface HeadRequest {
  prompt: PromptOptions;
  workspaceRoot: string;
  task: string;
  skills: SkillLibrary | null;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * The messages that every prompt of a run begins with, always in this order: the system text with the developer's rules,
 * the list of skills, the skills that the task mentions.
 */
export async function compileHead({ prompt, workspaceRoot, task, skills, env }: HeadRequest): Promise<PromptPiece[][]> {
  const messages = [systemPieces(prompt, workspaceRoot)];
  if (!skills || prompt.skills === 'off') return messages;
  const list = await skills.list();
  if (list !== '') messages.push([{ text: list, source: 'skills:list' }]);
  const { injected, refused } = await skills.inject(task, { env });
  for (const { skill, body } of injected) {
    messages.push([{ text: body, source: `skill:$[${skill.namespace}].${skill.name}` }]);
  }
  for (const { mention, error } of refused) {
    messages.push([{ text: `The skill ${mention} could not be used: ${error.message}`, source: 'skills:refused' }]);
  }
  return messages;
}

function systemPieces({ template = 'coding', system, developer }: PromptOptions, workspaceRoot: string): PromptPiece[] {
  const own = system === undefined ? undefined : pieceOf(system, 'system');
  const first = own ?? { text: templateText(template), source: `template:${template}` };
  const pieces = [{ ...first, text: first.text.replaceAll('{workspace}', () => workspaceRoot) }];
  const rules = [developer ?? []].flat().map((given) => pieceOf(given, 'developer'));
  for (const [index, rule] of rules.filter(({ text }) => text !== '').entries()) {
    pieces.push({ text: index === 0 ? '\n\n[Developer policy]\n' : '\n\n', source: 'separator' }, rule);
  }
  return pieces;
}

function pieceOf(given: string | PromptPiece, source: string): PromptPiece {
  return typeof given === 'string' ? { text: given, source } : given;
}
