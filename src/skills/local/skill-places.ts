import fs from 'node:fs';
import path from 'node:path';
import { realFolder } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { quoted } from '../quoted.ts';

/** Namespaces of the skills that are found without configuration. */
export const USER_NAMESPACE = 'user';
export const PROJECT_NAMESPACE = 'project';
export const RUN_NAMESPACE = 'run';

/** Where skills of a project are, below it: those that were added, and those that are part of its sources. */
export const ADDED_FOLDER = '.tacho/skills';
const PROJECT_FOLDERS = [ADDED_FOLDER, 'skills'] as const;

/** A folder in which skills are found without configuration. */
export interface SkillPlace {
  namespace: typeof USER_NAMESPACE | typeof PROJECT_NAMESPACE;
  root: string;
}

/** The user's own skills. */
export function userSkills(dataFolder: string): string {
  return path.join(dataFolder, 'skills');
}

/** All of them, also those that do not exist, the user's first. A folder of the project that is a link out of it does not count. */
export function skillPlaces({ workspaceRoot, dataFolder }: LocalFolders): SkillPlace[] {
  const user = userSkills(dataFolder);
  const projects = PROJECT_FOLDERS.map((folder) => path.join(path.resolve(workspaceRoot), folder))
    // In the user's home, .tacho is the data folder.
    .filter((root) => realFolder(root) !== realFolder(user) && liesInside(workspaceRoot, root));
  return [
    { namespace: USER_NAMESPACE, root: user },
    ...projects.map((root) => ({ namespace: PROJECT_NAMESPACE, root }) as const),
  ];
}

export interface LocalFolders {
  workspaceRoot: string;
  dataFolder: string;
}

/** Where `add` and `new` put skills of a project. Throws SKILL_LINK_OUTSIDE if it is elsewhere in truth. */
export function addedSkills(workspaceRoot: string): string {
  const root = path.join(path.resolve(workspaceRoot), ADDED_FOLDER);
  const existing = [root, path.dirname(root)].find((folder) => fs.lstatSync(folder, { throwIfNoEntry: false }));
  if (existing === undefined || liesInside(workspaceRoot, existing)) return root;
  throw new TachoError('SKILL_LINK_OUTSIDE', `${quoted(existing)} is a link that leads out of the project`, {
    facts: { path: existing },
    fix: 'Replace the link with a folder.',
  });
}

function liesInside(workspaceRoot: string, folder: string): boolean {
  return `${realFolder(folder)}/`.startsWith(`${realFolder(workspaceRoot).replace(/\/$/, '')}/`);
}
