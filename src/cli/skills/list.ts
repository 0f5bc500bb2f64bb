import { locateDataHome } from '../../runs/index.ts';
import { removeLeftovers, type SkillMetadata, type SkillScan, skillPlaces } from '../../skills/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { printable, table } from '../output/format.ts';
import { withSkills } from './open-here.ts';
import { problemLines } from './problem-lines.ts';

const MAX_DESCRIPTION = 80;

/** `tacho skills list` */
export async function listCommand(options: CommonOptions): Promise<void> {
  const dataFolder = locateDataHome(process.env, options.data).root;
  for (const { root } of skillPlaces({ workspaceRoot: process.cwd(), dataFolder })) removeLeftovers(root);
  const scan = await withSkills(options, (skills) => skills.scan());
  const skills = [...scan.skills.values()];
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ skills, problems: scan.problems })}\n`);
    return;
  }
  process.stdout.write(skills.length === 0 ? 'There are no skills here.\n' : tableOf(skills));
  process.stderr.write(afterList(scan));
}

function tableOf(skills: readonly SkillMetadata[]): string {
  const rows = skills.map(({ name, namespace, description }) => {
    const short = description.length > MAX_DESCRIPTION ? `${description.slice(0, MAX_DESCRIPTION - 1)}…` : description;
    return [name, namespace, printable(short)];
  });
  return table([['SKILL', 'NAMESPACE', 'DESCRIPTION'], ...rows]);
}

function afterList({ skills, problems }: SkillScan): string {
  const next = 'To make one: tacho skills new <name>\nTo copy some: tacho skills add <folder or zip>\n';
  const hint = skills.size === 0 && problems.length === 0 ? next : '';
  return `${problems.map((problem) => problemLines(problem)).join('')}${hint}`;
}
