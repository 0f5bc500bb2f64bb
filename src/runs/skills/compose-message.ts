import { mentionOf, type SettledRequest, type TakenPackage } from '../../protocol/index.ts';
import { type SkillFolder, skillFileIn } from './skill-folder.ts';

/** A longer value is put into a file: a message is one argument of a command line. */
const MAX_INLINE_CHARS = 16_384;

/**
 * The first message to the engine: the skill to use, its input, and the prompt of the request. `mark` stands before the
 * name of a skill.
 */
export function composeMessage(
  { prompt, input, parameters, packages = [] }: Pick<SettledRequest, 'prompt' | 'input' | 'parameters' | 'packages'>,
  folder: SkillFolder,
  mark = '',
): string {
  const main = packages.find(({ role }) => role === 'main');
  if (main === undefined) return withMentioned(prompt ?? '', packages, folder);
  const file = skillFileIn(folder, main.name);
  return [
    `Use the skill ${mark}${main.name}. Before anything else, load it or read ${file}, and follow all of it.`,
    main.prompt,
    valueText('Input', input, folder.input),
    valueText('Parameters', parameters, folder.parameters),
    prompt === undefined ? undefined : withMentioned(prompt, packages, folder),
  ]
    .filter((part) => part !== undefined && part.trim() !== '')
    .join('\n\n');
}

/** Names the files of the skills that a prompt mentions, since an engine does not know namespaces. */
function withMentioned(prompt: string, packages: readonly TakenPackage[], folder: SkillFolder): string {
  const mentioned = packages.filter((entry) => entry.role === 'extra' && prompt.includes(mentionOf(entry)));
  const lines = mentioned.map(
    (entry) => `${mentionOf(entry)} is the skill ${entry.name}: ${skillFileIn(folder, entry.name)}`,
  );
  return [prompt, ...(lines.length === 0 ? [] : [lines.join('\n')])].join('\n\n');
}

/** Whether the value is in a file of the run. */
export function isInFile(value: unknown): boolean {
  return value !== undefined && JSON.stringify(value).length > MAX_INLINE_CHARS;
}

function valueText(title: string, value: unknown, file: string): string | undefined {
  if (value === undefined) return undefined;
  if (isInFile(value)) return `${title}: the JSON in ${file}`;
  return `${title} (JSON):\n${JSON.stringify(value, null, 2)}`;
}
