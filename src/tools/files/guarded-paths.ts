export type FileAccess = 'read' | 'write';

const OWN_FOLDER = '.tacho';
/** Settings that decide what an agent may do, and keys. */
const SETTINGS = ['config/tacho.yaml', '.env'];

/**
 * Why a tool must not touch a path of the workspace, which is relative and without links; null if it may. Logs, approvals
 * and secrets of tacho stay out of reach, and so does what git runs: hooks, and programs named in its configuration.
 */
export function guardReason(path: string, access: FileAccess): string | null {
  // Some file systems do not tell upper case from lower case.
  const names = path.toLowerCase().split('/');
  const own = names.indexOf(OWN_FOLDER);
  if (own >= 0 && (access === 'write' || names[own + 1] !== 'skills')) return `${path} belongs to tacho itself`;
  if (access === 'read') return null;
  if (names.includes('.git')) return `${path} belongs to git; change it with git commands`;
  if (SETTINGS.includes(names.join('/'))) return `${path} holds settings of tacho, which tools may not change`;
  return null;
}
