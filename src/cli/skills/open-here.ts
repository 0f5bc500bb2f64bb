import { openLocalSkills, type SkillLibrary } from '../../skills/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';

/** Passes the skills that can be used in this folder, and closes their sources afterwards. */
export async function withSkills<T>(options: CommonOptions, work: (skills: SkillLibrary) => Promise<T>): Promise<T> {
  const { config, home } = openContext(options);
  // Without a first scan, `manual` would have nothing.
  const settings = { ...config.skills, refresh: 'always' } as const;
  const skills = openLocalSkills({
    settings,
    workspaceRoot: process.cwd(),
    dataFolder: home.root,
    env: process.env,
  });
  try {
    return await work(skills);
  } finally {
    await skills.close();
  }
}
