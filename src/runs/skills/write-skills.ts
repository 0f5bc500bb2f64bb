import fs from 'node:fs';
import path from 'node:path';
import type { EngineProfile } from '../../engines/index.ts';
import { writeWhole } from '../../files/index.ts';
import type { DeliveredSkill, SettledRequest } from '../../protocol/index.ts';
import type { SkillLayer, SkillPackage } from '../../skills/index.ts';
import type { RunContext } from '../context.ts';
import { inWorkspace } from '../request/settle-request.ts';
import { isInFile } from './compose-message.ts';
import { type SkillFolder, skillFileIn } from './skill-folder.ts';
import { readTakenPackage } from './taken-package.ts';

/**
 * Writes the skills of a run for its engine, from the packages that were accepted. The main one gets its layers. Called
 * for every attempt: the program of an earlier one may have changed them.
 */
export async function writeSkills(
  request: SettledRequest,
  { folder, profile, context }: { folder: SkillFolder; profile: EngineProfile; context: RunContext },
): Promise<DeliveredSkill[]> {
  const { packages = [], input, parameters } = request;
  if (packages.length === 0) return [];
  const { patchSkill, writePackage } = await import('../../skills/index.ts');
  for (const place of [path.dirname(folder.root), folder.root, folder.artifacts]) makeFolder(place);
  fs.rmSync(folder.skills, { recursive: true, force: true });
  const delivered: DeliveredSkill[] = [];
  for (const entry of packages) {
    const { role, namespace, name, version, sha256 } = entry;
    const skill = await readTakenPackage(entry, context);
    const layers = role === 'main' ? await layersOf(skill, { request, folder, context }) : [];
    const original = skill.files.get('SKILL.md')!;
    const bytes = layers.length === 0 ? original.bytes : patchSkill(original.bytes, layers);
    writePackage(folder.skills, name, new Map(skill.files).set('SKILL.md', { ...original, bytes }));
    delivered.push({
      role,
      namespace,
      name,
      version,
      sha256,
      path: skillFileIn(folder, name),
      delivery: profile.runSkills ? 'engine' : 'message',
      layers: layers.map(({ text: _, ...layer }) => layer),
    });
  }
  if (isInFile(input)) writeWhole(folder.input, JSON.stringify(input, null, 2));
  if (isInFile(parameters)) writeWhole(folder.parameters, JSON.stringify(parameters, null, 2));
  linkSkills(folder, profile);
  return delivered;
}

/** The layers of the configuration that the run was accepted with, whatever process records it. */
async function layersOf(
  skill: SkillPackage,
  { request, folder, context }: { request: SettledRequest; folder: SkillFolder; context: RunContext },
): Promise<SkillLayer[]> {
  const { layersFor, readSkillTexts } = await import('../../skills/index.ts');
  const { skills: settings } = inWorkspace(request, context).config;
  const texts = readSkillTexts({ settings, workspaceRoot: request.cwd ?? process.cwd() });
  return layersFor({ skill, mode: request.mode, artifactsFolder: folder.artifacts, texts });
}

/** Makes the place where the engine looks for skills. */
function linkSkills({ root, skills }: SkillFolder, { runSkills }: EngineProfile): void {
  if (runSkills?.at === undefined) return;
  const folders = runSkills.at.split('/').slice(0, -1);
  folders.forEach((_, depth) => void makeFolder(path.join(root, ...folders.slice(0, depth + 1))));
  const link = path.join(root, runSkills.at);
  fs.rmSync(link, { recursive: true, force: true });
  fs.symlinkSync(skills, link);
}

/**
 * Shows the managed home in that of the run, so that the engine finds its settings, credentials and sessions there. After
 * the engine's own folders were made.
 */
export function showHome(home: string, { root }: SkillFolder, { runSkills }: EngineProfile): void {
  if (!runSkills?.showsHome) return;
  const view = path.join(root, 'home');
  const own = new Set(fs.readdirSync(view));
  for (const name of fs.readdirSync(home)) {
    if (!own.has(name)) fs.symlinkSync(path.join(home, name), path.join(view, name));
  }
}

/** The program of an earlier attempt may have put a link in its place. */
function makeFolder(folder: string): void {
  if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) fs.rmSync(folder);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
}
