import { dataFolderOf } from '../../config/index.ts';
import { installedSkills } from '../../skills/index.ts';

/** The skills in folders of the user and of this project, one line each: name, a tab, namespace. Asks no other source. */
export function skillCandidates(env: NodeJS.ProcessEnv): string[] {
  const skills = installedSkills({ workspaceRoot: process.cwd(), dataFolder: dataFolderOf(env) });
  const namespaces = new Map<string, string[]>();
  for (const { name, namespace } of skills) namespaces.set(name, [...(namespaces.get(name) ?? []), namespace]);
  // Names of folders are whatever their author chose.
  const plain = [...namespaces].filter(([name]) => /^[\w-]+$/.test(name));
  return plain.map(([name, found]) => `${name}\t${found.join(', ')}`).sort();
}
