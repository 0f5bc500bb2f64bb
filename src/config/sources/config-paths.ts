import { resolve } from 'node:path';
import { liesIn } from '../trust/workspace-folder.ts';
import type { FileContent } from './config-file.ts';
import type { Variable } from './environment.ts';
import type { LayerFile } from './file-layer.ts';

export const PATHS_VARIABLE = 'TACHO_CONFIG_PATHS';

export interface NamedFile extends LayerFile {
  /** Written or chosen by the author of the workspace. */
  ofWorkspace: boolean;
}

/**
 * The files named by the strongest TACHO_CONFIG_PATHS. Relative paths start at the workspace, so that the result does
 * not depend on the current directory.
 */
export function namedFiles(
  workspaceRoot: string,
  variables: { envFile: readonly Variable[]; environment: readonly Variable[] },
  readFile: (path: string) => FileContent,
): { named: NamedFile[]; byEnvFile: Variable | null } {
  const last = (from: readonly Variable[]) =>
    from.findLast(({ name, text }) => name === PATHS_VARIABLE && text.trim() !== '');
  const byUser = last(variables.environment);
  const variable = byUser ?? last(variables.envFile);
  if (variable === undefined) return { named: [], byEnvFile: null };
  const named = variable.text
    .split(/[,;]/)
    .map((path) => path.trim())
    .filter((path) => path !== '')
    .map((name): NamedFile => {
      const path = resolve(workspaceRoot, name);
      const ofWorkspace = byUser === undefined || liesIn(workspaceRoot, path);
      return { path, name, namedBy: variable.source, content: readFile(path), ofWorkspace };
    });
  return { named, byEnvFile: byUser === undefined ? variable : null };
}
