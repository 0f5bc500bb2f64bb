import { TachoError } from '../../protocol/index.ts';
import { locateDataHome } from '../../runs/index.ts';
import { type InstalledSkill, installedSkills, removeSkillFolder } from '../../skills/index.ts';
import type { RemoveSkillOptions } from '../commands/skills.ts';
import { similarWords } from '../grammar/similar-words.ts';
import { canAsk, confirm } from '../output/confirm.ts';
import { count, printable } from '../output/format.ts';
import { usage } from '../run/record-options.ts';
import { refuseInSession } from './target-folder.ts';

/** `tacho skills remove`: all of the given skills, or none when one is not found. */
export async function removeCommand(names: readonly string[], options: RemoveSkillOptions): Promise<void> {
  const dataFolder = locateDataHome(process.env, options.data).root;
  const installed = installedSkills({ workspaceRoot: process.cwd(), dataFolder });
  const chosen = [...new Set(names.map((name) => findInstalled(name, installed)))];
  if (chosen.some(({ namespace }) => namespace === 'user')) refuseInSession();
  if (!options.yes && !(await isConfirmed(chosen, options))) {
    process.stdout.write('Nothing was removed.\n');
    process.exitCode = 1;
    return;
  }
  for (const { folder, root } of chosen) removeSkillFolder(folder, root);
  const removed = chosen.map(({ name, folder }) => ({ name, folder }));
  const text = chosen.map(({ name, folder }) => `removed ${printable(name)}  ${printable(folder)}\n`).join('');
  process.stdout.write(options.json ? `${JSON.stringify({ removed })}\n` : text);
}

function findInstalled(name: string, installed: readonly InstalledSkill[]): InstalledSkill {
  const found = installed.filter((one) => one.name === name || one.mention === name);
  const [first, ...others] = found;
  if (first && others.length === 0) return first;
  if (first) {
    const places = found.map(({ mention, folder }) => `${mention} in ${folder}`);
    throw new TachoError('SKILL_AMBIGUOUS', `several skills are called ${printable(name)}: ${places.join(', ')}`, {
      facts: { name, folders: found.map(({ folder }) => folder) },
      fix: 'Name the one you mean by its mention. Of two with the same mention, delete a folder yourself.',
    });
  }
  const near = similarWords(
    name,
    installed.map((one) => (name.startsWith('$') ? one.mention : one.name)),
  );
  const meant = near.length === 0 ? '' : `Did you mean ${near.join(' or ')}? `;
  throw new TachoError(
    'SKILL_UNKNOWN',
    `there is no skill ${printable(name)} in your skills or in those of this folder`,
    {
      facts: { skill: name },
      fix: `${meant}List the skills with: tacho skills list. Skills of other sources are removed there.`,
    },
  );
}

async function isConfirmed(skills: readonly InstalledSkill[], options: RemoveSkillOptions): Promise<boolean> {
  if (!canAsk() || options.json) {
    throw usage('cannot ask for confirmation: there is no terminal', 'Add --yes to remove without asking.');
  }
  process.stdout.write(skills.map(({ folder }) => `  ${printable(folder)}\n`).join(''));
  return await confirm(`Remove ${count(skills.length, 'skill')} with all files?`);
}
