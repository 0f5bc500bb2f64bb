import fs from 'node:fs';
import path from 'node:path';
import { writeWhole } from '../../files/index.ts';
import type { SettledRequest } from '../../protocol/index.ts';
import type { RunContext } from '../context.ts';
import { isInFile } from './compose-message.ts';
import type { SkillFolder } from './skill-folder.ts';
import { readTakenPackage } from './taken-package.ts';

/** Writes the skills of a run for its engine: always from the packages that were accepted, as a whole. */
export async function writeSkills(
  { packages = [], input, parameters }: SettledRequest,
  folder: SkillFolder,
  context: RunContext,
): Promise<void> {
  if (packages.length === 0) return;
  const { writePackage } = await import('../../skills/index.ts');
  for (const place of [path.dirname(folder.root), folder.root, folder.artifacts]) makeFolder(place);
  fs.rmSync(folder.skills, { recursive: true, force: true });
  for (const entry of packages) {
    const { files } = await readTakenPackage(entry, context);
    writePackage(folder.skills, entry.name, files);
  }
  if (isInFile(input)) writeWhole(folder.input, JSON.stringify(input, null, 2));
  if (isInFile(parameters)) writeWhole(folder.parameters, JSON.stringify(parameters, null, 2));
}

/** The program of an earlier attempt may have put a link in its place. */
function makeFolder(folder: string): void {
  if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) fs.rmSync(folder);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
}
