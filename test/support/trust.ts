import { dataFolderOf, loadConfig, removeTrust, storeTrust } from '../../src/config/index.ts';

/** Lets the files of a folder set everything, as `tacho trust` does, until the function it returns is called. */
export function trustFolder(
  folder: string,
  { env = process.env, dataFolder = dataFolderOf(env) }: { env?: NodeJS.ProcessEnv; dataFolder?: string } = {},
): () => void {
  const { workspace } = loadConfig({ workspaceRoot: folder, env, dataFolder });
  if (workspace.sha256 !== null) storeTrust(dataFolder, { folder: workspace.folder, sha256: workspace.sha256 });
  return () => void removeTrust(dataFolder, workspace.folder);
}
