import fs from 'node:fs';
import path from 'node:path';
import { writeWhole } from '../../files/index.ts';
import type { SettledRequest } from '../../protocol/index.ts';
import type { PackageFiles, SkillPackage } from '../../skills/index.ts';
import type { RunContext } from '../context.ts';
import { inWorkspace } from '../request/settle-request.ts';
import { isInFile } from './compose-message.ts';
import type { SkillFolder } from './skill-folder.ts';
import { readTakenPackage } from './taken-package.ts';

/** Writes the skills of a run for its engine, from the packages that were accepted. The main one gets its layers. */
export async function writeSkills(request: SettledRequest, folder: SkillFolder, context: RunContext): Promise<void> {
  const { packages = [], input, parameters } = request;
  if (packages.length === 0) return;
  const { writePackage } = await import('../../skills/index.ts');
  for (const place of [path.dirname(folder.root), folder.root, folder.artifacts]) makeFolder(place);
  fs.rmSync(folder.skills, { recursive: true, force: true });
  for (const entry of packages) {
    const skill = await readTakenPackage(entry, context);
    const files = entry.role === 'main' ? await patched(skill, { request, folder, context }) : skill.files;
    writePackage(folder.skills, entry.name, files);
  }
  if (isInFile(input)) writeWhole(folder.input, JSON.stringify(input, null, 2));
  if (isInFile(parameters)) writeWhole(folder.parameters, JSON.stringify(parameters, null, 2));
}

async function patched(
  skill: SkillPackage,
  { request, folder, context }: { request: SettledRequest; folder: SkillFolder; context: RunContext },
): Promise<PackageFiles> {
  const { layersFor, patchSkill, readSkillTexts } = await import('../../skills/index.ts');
  const { skills: settings } = inWorkspace(request, context).config;
  const texts = readSkillTexts({ settings, workspaceRoot: request.cwd ?? process.cwd() });
  const layers = layersFor({ skill, mode: request.mode, artifactsFolder: folder.artifacts, texts });
  const original = skill.files.get('SKILL.md')!;
  return new Map(skill.files).set('SKILL.md', { ...original, bytes: patchSkill(original.bytes, layers) });
}

/** The program of an earlier attempt may have put a link in its place. */
function makeFolder(folder: string): void {
  if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) fs.rmSync(folder);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
}
