import { TachoError } from '../../protocol/index.ts';
import { locateDataHome } from '../../runs/index.ts';
import { addedSkills, userSkills } from '../../skills/index.ts';
import { isInSession } from '../../terminal/index.ts';
import type { CommonOptions } from '../common-options.ts';

/** Otherwise an agent could give itself skills that need no trust. */
export function refuseInSession(): void {
  if (!isInSession()) return;
  throw new TachoError('TRUST_REFUSED', 'a program that tacho runs cannot change your own skills', {
    fix: 'Call tacho skills in a terminal of your own, or use the skills of the project (--project).',
  });
}

/** Where skills are put: the user's own, or those of this folder. */
export function targetFolder({ project = false, data }: CommonOptions & { project?: boolean }): string {
  if (project) return addedSkills(process.cwd());
  refuseInSession();
  return userSkills(locateDataHome(process.env, data).root);
}

export function trustHint({ project = false }: { project?: boolean }): string {
  return project ? 'To use it here: tacho trust\n' : '';
}
