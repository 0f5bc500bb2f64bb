import path from 'node:path';
import { installSkills, newSkillFiles } from '../../skills/index.ts';
import type { NewSkillOptions } from '../commands/skills.ts';
import { printable } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { targetFolder, trustHint } from './target-folder.ts';

/** `tacho skills new` */
export async function newCommand(name: string, options: NewSkillOptions): Promise<void> {
  const files = newSkillFiles({ name, description: options.description, withSchemas: options.schemas });
  const [folder] = installSkills([{ name, files }], targetFolder(options)) as [string];
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ name, folder, files: [...files.keys()] })}\n`);
    return;
  }
  const made = Array.from(files.keys(), (file) => `  ${printable(path.join(folder, file))}\n`);
  process.stdout.write(`${paint.green('✔')} made ${name}\n${made.join('')}Write its instructions into SKILL.md.\n`);
  process.stdout.write(trustHint(options));
}
