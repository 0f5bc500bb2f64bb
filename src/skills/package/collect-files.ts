import { SKILL_FILE, type SkillMetadata } from '../skill.ts';
import type { SkillFiles } from '../skill-source.ts';
import { FileCollector, isLeftOut, type PackageFiles } from './package-files.ts';
import { readPackageFolder } from './read-folder.ts';
import { readPackageZip } from './read-zip.ts';

/** The files that a source has of a skill. Throws if they cannot be read as a package. */
export async function collectFiles(given: SkillFiles | null): Promise<PackageFiles> {
  if (given === null) return new Map();
  switch (given.kind) {
    case 'folder':
      return readPackageFolder(given.path);
    case 'zip':
      return await readPackageZip(given.bytes);
    case 'files': {
      const collector = new FileCollector();
      for (const [name, bytes] of given.files) {
        collector.checkPath(name);
        if (isLeftOut(name)) continue;
        collector.announce(bytes.length);
        collector.add(name, { bytes: Buffer.from(bytes), isExecutable: given.executable?.has(name) ?? false });
      }
      return collector.files;
    }
  }
}

/** Whether the text of a skill is one of its files; sources such as databases keep it apart. */
export function holdText(files: SkillFiles | null): boolean {
  if (files === null || files.kind === 'zip') return false;
  return files.kind === 'folder' || files.files.has(SKILL_FILE);
}

/** A SKILL.md made of what a source keeps apart. */
export function skillText(skill: SkillMetadata, body: string): string {
  const { name, description, required_env_vars, metadata } = skill;
  const fields = { name, description, required_env_vars, metadata };
  // JSON is YAML.
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  return `---\n${lines.join('')}---\n${body}`;
}
