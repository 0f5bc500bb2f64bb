import type { Command } from 'commander';
import type { CommonOptions } from '../common-options.ts';

export interface AddSkillOptions extends CommonOptions {
  project?: boolean;
  replace?: boolean;
}

export interface NewSkillOptions extends CommonOptions {
  project?: boolean;
  description?: string;
  schemas?: boolean;
}

export interface RemoveSkillOptions extends CommonOptions {
  yes?: boolean;
}

const GROUP_HELP = `
Examples:
  tacho skills                           list them
  tacho skills new review                make one
  tacho skills check skills              check all skills of a folder
  tacho skills add downloads/review.zip  copy one into your skills

Your own skills are in <data>/skills. Those of a project are in skills/ and
.tacho/skills/ and are found after tacho trust.`;

const SHOW_EXAMPLES = `
Examples:
  tacho skills show review
  tacho skills show '$[project].review' --json`;

const CHECK_EXAMPLES = `
Examples:
  tacho skills check                   all of yours and of this folder
  tacho skills check review.zip
  tacho skills check skills --json

Exits with 1 if there are errors. Warnings alone do not count.`;

const ADD_EXAMPLES = `
Examples:
  tacho skills add downloads/review.zip
  tacho skills add ../team-skills                all skills of a checkout
  tacho skills add ../team-skills review notes   two of them
  tacho skills add --project review.zip          into .tacho/skills/

All of them are added, or none if one has errors.`;

const NEW_EXAMPLES = `
Examples:
  tacho skills new review --description "Reviews a diff."
  tacho skills new review --project --schemas`;

export function registerSkills(program: Command): void {
  const skills = program
    .command('skills')
    .summary('list, check, add and remove skills')
    .description('Skills: instructions for one kind of task, as folders with a SKILL.md.')
    .addHelpText('after', GROUP_HELP);
  const list = skills
    .command('list', { isDefault: true })
    .summary('list the skills')
    .description('Lists all skills that can be used in this folder, and what is wrong with others.')
    .addHelpText('after', '\nExamples:\n  tacho skills\n  tacho skills list --json')
    .action(async (options: CommonOptions) => {
      const { listCommand } = await import('../skills/list.ts');
      await listCommand(options);
    });
  withDataOptions(list);
  const show = skills
    .command('show')
    .summary('print a skill')
    .description('Prints what is known about a skill, its files and its text.')
    .argument('<skill>', 'its name, or its mention if several have that name')
    .addHelpText('after', SHOW_EXAMPLES)
    .action(async (skill: string, options: CommonOptions) => {
      const { showCommand } = await import('../skills/show.ts');
      await showCommand(skill, options);
    });
  withDataOptions(show);
  const check = skills
    .command('check')
    .summary('list all problems of skills')
    .description('Checks folders, checkouts and zips, and lists all problems with file, line and fix.')
    .argument('[places...]', 'folders or zips (default: all skills found here)')
    .addHelpText('after', CHECK_EXAMPLES)
    .action(async (places: string[], options: CommonOptions) => {
      const { checkCommand } = await import('../skills/check.ts');
      await checkCommand(places, options);
    });
  withDataOptions(check);
  registerAdd(skills);
  registerNew(skills);
  registerRemove(skills);
}

function registerAdd(skills: Command): void {
  const add = skills
    .command('add')
    .summary('copy skills into your skills')
    .description('Checks the skills of a folder, checkout or zip, and copies them into your skills.')
    .argument('<place>', 'a folder or zip')
    .argument('[names...]', 'only these skills of it (default: all)')
    .option('--project', 'copy into .tacho/skills/ of this folder instead')
    .option('--replace', 'replace skills with the same name')
    .addHelpText('after', ADD_EXAMPLES)
    .action(async (place: string, names: string[], options: AddSkillOptions) => {
      const { addCommand } = await import('../skills/add.ts');
      await addCommand(place, names, options);
    });
  withDataOptions(add);
}

function registerNew(skills: Command): void {
  const make = skills
    .command('new')
    .summary('make a skill to begin with')
    .description('Makes a skill with a SKILL.md to fill in.')
    .argument('<name>', 'lower-case letters, digits, hyphens and underscores')
    .option('--description <text>', 'what it does and when to use it')
    .option('--schemas', 'with assets/runner.json and JSON Schemas of input and output')
    .option('--project', 'make it in .tacho/skills/ of this folder instead')
    .addHelpText('after', NEW_EXAMPLES)
    .action(async (name: string, options: NewSkillOptions) => {
      const { newCommand } = await import('../skills/new.ts');
      await newCommand(name, options);
    });
  withDataOptions(make);
}

function registerRemove(skills: Command): void {
  const remove = skills
    .command('remove')
    .alias('rm')
    .summary('remove skills of yours or of this folder')
    .description('Removes the folders of skills, also of those with errors; asks first.')
    .argument('<skills...>', 'names, or mentions such as $[user].review')
    .option('-y, --yes', 'remove without asking; required without a terminal')
    .addHelpText(
      'after',
      "\nExamples:\n  tacho skills remove review\n  tacho skills remove '$[project].review' notes --yes",
    )
    .action(async (names: string[], options: RemoveSkillOptions) => {
      const { removeCommand } = await import('../skills/remove.ts');
      await removeCommand(names, options);
    });
  withDataOptions(remove);
}

/** The data folder holds the user's skills here, so its option has its own help text. */
function withDataOptions(command: Command): Command {
  return command
    .option('--data <folder>', 'where your skills are kept (default: $TACHO_HOME, else ~/.tacho)')
    .option('--json', 'answer as JSON');
}
