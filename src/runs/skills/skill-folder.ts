import fs from 'node:fs';
import path from 'node:path';
import type { DataHome } from '../data-home.ts';

/** What one run's engine gets of its skills. Other runs, and the folder that the run works in, do not see it. */
export interface SkillFolder {
  root: string;
  /** One folder for each skill. */
  skills: string;
  /** Where skills put the files they make. */
  artifacts: string;
  /** The input and the parameters, where they are too large for a message. */
  input: string;
  parameters: string;
}

/** The same for all attempts of the run, so that a session that was told a path finds it again. */
export function skillFolderOf({ managed }: Pick<DataHome, 'managed'>, handle: string): SkillFolder {
  const root = path.join(managed, 'skills', handle);
  const at = (name: string) => path.join(root, name);
  return {
    root,
    skills: at('skills'),
    artifacts: at('artifacts'),
    input: at('input.json'),
    parameters: at('parameters.json'),
  };
}

/** The text of one of its skills. */
export function skillFileIn({ skills }: SkillFolder, name: string): string {
  return path.join(skills, name, 'SKILL.md');
}

/** When the run has ended. */
export function removeSkillFolder(home: Pick<DataHome, 'managed'>, handle: string): void {
  fs.rmSync(skillFolderOf(home, handle).root, { recursive: true, force: true });
}
