import path from 'node:path';
import type { ChangedFile } from '../../protocol/index.ts';
import { changedFile } from '../state/file-version.ts';
import type { FileVersion } from '../state/state.ts';
import type { Vault } from '../wal/index.ts';
import { type Allowance, type KeepLimits, type KeptEntry, keepEntry, printOf } from './keep-entry.ts';
import { walkWorkspace } from './walk-workspace.ts';

/** What a workspace held at some time, as far as it could be kept. */
export interface Manifest {
  entries: Map<string, KeptEntry>;
  /** Folders all of whose entries are known. */
  listed: Set<string>;
  isCut: boolean;
  /** Milliseconds since 1970. */
  lookedAt: number;
  problems: { path: string; reason: string }[];
}

export interface LookRequest {
  root: string;
  vault: Pick<Vault, 'put'>;
  limits: KeepLimits;
  /** Only what differs from it is read again. */
  previous: Manifest | null;
}

export async function lookAtWorkspace({ root, vault, limits, previous }: LookRequest): Promise<Manifest> {
  const lookedAt = Date.now();
  const entries = new Map<string, KeptEntry>();
  const problems: Manifest['problems'] = [];
  const allowance: Allowance = { limits, bytesLeft: limits.totalBytes };
  const { listed, isCut } = await walkWorkspace(root, {
    maxEntries: limits.entries,
    visit: (entry) => {
      const known = previous?.entries.get(entry.path);
      const isSame = known && !known.isRacy && known.print === printOf(entry);
      entries.set(entry.path, isSame ? known : keepEntry(entry, vault, allowance));
    },
    onProblem: (path, reason) => problems.push({ path, reason }),
  });
  return { entries, listed, isCut, lookedAt, problems };
}

const NOTHING: FileVersion = { key: null, type: 'file' };

/** What has changed between two looks. Entries that the second look did not reach are taken over from the first. */
export function changesBetween(before: Manifest, after: Manifest): ChangedFile[] {
  const changes: ChangedFile[] = [];
  for (const [name, now] of after.entries) {
    const known = before.entries.get(name);
    if (known) {
      if (isChanged(known, now)) changes.push(changedFile(name, known, now));
    } else if (wasAbsent(before, name)) {
      changes.push(changedFile(name, NOTHING, now));
    } else if (!isOlder(now, before.lookedAt)) {
      changes.push(changedFile(name, { ...NOTHING, lost: 'it was not looked at before' }, now));
    }
  }
  for (const [name, known] of before.entries) {
    if (after.entries.has(name)) continue;
    if (wasAbsent(after, name)) changes.push(changedFile(name, known, NOTHING));
    else after.entries.set(name, known);
  }
  return changes;
}

function isChanged(one: KeptEntry, other: KeptEntry): boolean {
  if (one.type !== other.type || one.key !== other.key || one.mode !== other.mode) return true;
  // Where the contents are unknown, the times have to do.
  return one.key === null && one.print !== other.print;
}

/** Whether a look shows that there was nothing with this name. */
function wasAbsent({ entries, listed }: Manifest, name: string): boolean {
  const folder = path.dirname(name) === '.' ? '' : path.dirname(name);
  if (listed.has(folder)) return true;
  const known = entries.get(folder);
  if (known) return known.type !== 'folder';
  return folder !== '' && wasAbsent({ entries, listed } as Manifest, folder);
}

/** Its inode has not changed since, so it is as it was then. */
function isOlder({ print }: KeptEntry, lookedAt: number): boolean {
  const changedNs = print.split(' ')[1];
  return changedNs !== undefined && print.startsWith('folder ') === false && Number(changedNs) / 1e6 < lookedAt - 20;
}
