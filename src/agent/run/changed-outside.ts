import { WorkspaceFiles } from '../../tools/index.ts';
import type { AgentState } from '../state/state.ts';
import type { Vault } from '../wal/index.ts';

/** Files that this run has changed and that are not any more as it left them. */
export async function changedOutside(
  { files }: Pick<AgentState, 'files'>,
  vault: Pick<Vault, 'digest'>,
  workspaceRoot: string,
): Promise<string[]> {
  const workspace = new WorkspaceFiles(workspaceRoot);
  const changed: string[] = [];
  for (const [name, known] of files) {
    const current = await workspace.read(name).then(
      ({ bytes }) => vault.digest(bytes),
      () => null,
    );
    if (current !== known) changed.push(name);
  }
  return changed;
}
