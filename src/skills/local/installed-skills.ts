import path from 'node:path';
import { mentionOf } from '../../protocol/index.ts';
import { findSkillFolders } from '../sources/skill-folders.ts';
import { type LocalFolders, type SkillPlace, skillPlaces } from './skill-places.ts';

/** A skill in a folder of the user or the project; with errors or not, trusted or not. */
export interface InstalledSkill {
  /** The name of its folder. */
  name: string;
  namespace: SkillPlace['namespace'];
  mention: string;
  folder: string;
  /** The folder of skills that it is in. */
  root: string;
}

export function installedSkills(folders: LocalFolders): InstalledSkill[] {
  return skillPlaces(folders).flatMap(({ namespace, root }) =>
    Array.from(findSkillFolders(root, { before: new Map(), now: new Map() }), ({ folder }) => {
      const place = path.join(root, folder);
      const name = path.basename(place);
      return { name, namespace, mention: mentionOf({ namespace, name }), folder: place, root };
    }).filter(({ folder }) => folder !== root),
  );
}
