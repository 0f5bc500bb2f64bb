import { TachoError } from '../../protocol/index.ts';
import { type CheckedPackage, checkPlace, installSkills, type SkillPackage } from '../../skills/index.ts';
import type { AddSkillOptions } from '../commands/skills.ts';
import { similarWords } from '../grammar/similar-words.ts';
import { commandLine, printable } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { placedProblems, problemLines } from './problem-lines.ts';
import { targetFolder, trustHint } from './target-folder.ts';

/** `tacho skills add`: all of the chosen skills, or none. */
export async function addCommand(place: string, names: readonly string[], options: AddSkillOptions): Promise<void> {
  const chosen = choose(await checkPlace(place), names, place);
  const skills = chosen.map((one) => one.skill ?? refuse(one, place));
  const root = targetFolder(options);
  const folders = installSkills(skills, root, { replace: options.replace === true });
  if (options.json) {
    const added = skills.map(({ name }, index) => ({ name, folder: folders[index] }));
    process.stdout.write(`${JSON.stringify({ added })}\n`);
    return;
  }
  for (const one of chosen) for (const problem of placedProblems(one)) process.stderr.write(problemLines(problem));
  process.stdout.write(skills.map((skill, index) => describe(skill, folders[index]!)).join(''));
  process.stdout.write(trustHint(options));
}

function describe({ name }: SkillPackage, folder: string): string {
  return `${paint.green('✔')} added ${name}  ${paint.dim(printable(folder))}\n`;
}

function choose(checked: readonly CheckedPackage[], names: readonly string[], place: string): CheckedPackage[] {
  if (names.length === 0) return [...checked];
  return [...new Set(names)].map((name) => {
    // A package with errors may not have a name other than that of its folder.
    const found = checked.find((one) => nameOf(one) === name);
    if (found) return found;
    const known = checked.map(nameOf);
    const [similar] = similarWords(name, known);
    throw new TachoError('SKILL_UNKNOWN', `${printable(place)} does not have the skill ${printable(name)}`, {
      facts: { skill: name, known },
      fix: `${similar ? `Did you mean ${similar}? ` : ''}It has: ${known.map(printable).join(', ') || 'none'}`,
    });
  });
}

function nameOf({ skill, place }: CheckedPackage): string {
  return skill?.name ?? place.split('/').at(-1)!;
}

/** The first error, with its code; the others are a command away. */
function refuse(one: CheckedPackage, place: string): never {
  const problems = placedProblems(one);
  const [first, ...more] = problems.filter(({ severity }) => severity === 'error');
  const { code, file, line, message, fix } = first!;
  const where = line === undefined ? file : `${file}:${line}`;
  const rest =
    more.length === 0 ? '' : ` See also ${more.length} more: ${commandLine(['tacho', 'skills', 'check', place])}`;
  throw new TachoError(code, `nothing was added: ${where}: ${message}`, {
    facts: { place: one.place, problems },
    fix: `${fix}${rest}`,
  });
}
