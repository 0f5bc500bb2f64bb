/**
 * Paths that no ignore rule excludes, because a change there takes effect later and automatically: git hooks and
 * settings, the settings of tacho, and ignore rules themselves. Folders on the way are entered only for these names.
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
