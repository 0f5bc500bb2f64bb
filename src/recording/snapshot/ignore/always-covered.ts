/**
 * What no ignore rule leaves out, because a change there takes effect later and unasked: git hooks and settings, the
 * settings of tacho, and ignore rules themselves. Folders that lead there are entered for these names only.
 */
export function isAlwaysCovered(path: string, isFolder: boolean): boolean {
  if (isFolder) return GIT_HOOKS.test(path);
  return OWN_SETTINGS.has(path) || FILES.test(path) || GIT_HOOKS.test(path);
}

export function leadsToAlwaysCovered(folder: string): boolean {
  return GIT_FOLDERS.test(folder) || folder === 'config';
}

const OWN_SETTINGS = new Set(['config/tacho.yaml']);
const FILES = /(^|\/)(\.env|\.gitignore|\.git|\.git\/config|\.git\/info\/exclude)$/;
const GIT_HOOKS = /(^|\/)\.git\/hooks(\/|$)/;
const GIT_FOLDERS = /(^|\/)\.git(\/info)?$/;
