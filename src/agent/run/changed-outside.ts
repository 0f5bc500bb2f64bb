import { KEEP_LIMITS, type KeepLimits, keepEntry } from '../fork/keep-entry.ts';
import { withEntry } from '../fork/walk-workspace.ts';
import type { AgentState, FileVersion } from '../state/state.ts';
import type { Vault } from '../wal/index.ts';

/** What was kept was below some limit; other limits may have counted then. */
const LIMITS: KeepLimits = { ...KEEP_LIMITS, fileBytes: 64 * 1024 * 1024, totalBytes: Number.POSITIVE_INFINITY };

/** Files that this run has changed and that are not any more as it left them. */
export function changedOutside(
  { files }: Pick<AgentState, 'files'>,
  vault: Pick<Vault, 'digest'>,
  workspaceRoot: string,
): string[] {
  const digesting = { put: (content: Uint8Array) => vault.digest(content) };
  const allowance = { limits: LIMITS, bytesLeft: Number.POSITIVE_INFINITY };
  return [...files].flatMap(([name, known]) => {
    if (known.lost !== undefined) return [];
    const now = withEntry(workspaceRoot, name, (entry) => entry && keepEntry(entry, digesting, allowance));
    return isSame(known, now) ? [] : [name];
  });
}

function isSame(known: FileVersion, now: FileVersion | null): boolean {
  if (known.key === null || now === null) return known.key === null && now === null;
  if (known.type !== now.type || known.key !== now.key) return false;
  return known.mode === undefined || now.mode === undefined || known.mode === now.mode;
}
