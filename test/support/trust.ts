import { dataFolderOf, loadConfig, removeTrust, storeTrust } from '../../src/config/index.ts';

/** Trusts the files of a folder, like `tacho trust`, until the returned function is called. */
export function trustFolder(
  folder: string,
  { env = process.env, dataFolder = dataFolderOf(env) }: { env?: NodeJS.ProcessEnv; dataFolder?: string } = {},
): () => void {
  const { workspace } = loadConfig({ workspaceRoot: folder, env, dataFolder });
  if (workspace.sha256 !== null) storeTrust(dataFolder, { folder: workspace.folder, sha256: workspace.sha256 });
  return () => void removeTrust(dataFolder, workspace.folder);
}
