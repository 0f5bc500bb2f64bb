import fs from 'node:fs';
import { locateDataHome } from '../../runs/index.ts';
import { type CheckedPackage, checkPlace, skillPlaces } from '../../skills/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { count, printable } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { placedProblems, problemLines, relative } from './problem-lines.ts';

/** `tacho skills check` */
export async function checkCommand(places: readonly string[], options: CommonOptions): Promise<void> {
  const checked: CheckedPackage[] = [];
  for (const place of places.length === 0 ? placesHere(options) : places) checked.push(...(await checkPlace(place)));
  const problems = checked.flatMap(({ problems }) => problems);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  if (options.json) {
    const answer = checked.map(({ place, skill, problems }) => ({ place, name: skill?.name ?? null, problems }));
    process.stdout.write(`${JSON.stringify({ checked: answer })}\n`);
  } else {
    process.stdout.write(checked.map(describe).join(''));
    process.stdout.write(summary(checked.length, { errors, warnings: problems.length - errors }));
  }
  process.exitCode = errors === 0 ? 0 : 1;
}

/** The folders in which skills are found, as far as they have any. */
function placesHere(options: CommonOptions): string[] {
  const dataFolder = locateDataHome(process.env, options.data).root;
  const places = skillPlaces({ workspaceRoot: process.cwd(), dataFolder });
  return places.map(({ root }) => root).filter((root) => fs.existsSync(root) && fs.readdirSync(root).length > 0);
}

function describe(one: CheckedPackage): string {
  const mark = one.skill ? paint.green('✔') : paint.red('✘');
  const lines = placedProblems(one).map((problem) => problemLines(problem, '  '));
  return `${mark} ${printable(one.skill?.name ?? relative(one.place))}\n${lines.join('')}`;
}

function summary(skills: number, { errors, warnings }: { errors: number; warnings: number }): string {
  if (skills === 0) return 'There are no skills here. Name a folder or a zip to check.\n';
  const found = [
    ...(errors > 0 ? [count(errors, 'error')] : []),
    ...(warnings > 0 ? [count(warnings, 'warning')] : []),
  ];
  return `${count(skills, 'skill')}: ${found.join(', ') || 'no problems'}\n`;
}
