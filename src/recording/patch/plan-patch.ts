import type { FsChange, FsEntry } from '../../protocol/index.ts';
import { nameOfBase64, nameOfText } from '../snapshot/name-bytes.ts';

/** A file or link on one side of a patch. */
export interface PatchSide {
  mode: '100644' | '100755' | '120000';
  entry: FsEntry;
  /** Hash of the stored content; null for a link, whose content is its target, and if none was stored. */
  blob: string | null;
}

/** One path of a patch. `path` and `from` are latin1 strings of their bytes. */
export type PatchStep =
  | { kind: 'create'; path: string; after: PatchSide }
  | { kind: 'delete'; path: string; before: PatchSide }
  | { kind: 'modify'; path: string; before: PatchSide; after: PatchSide }
  | { kind: 'rename'; path: string; from: string; before: PatchSide; after: PatchSide };

/** A change that no patch can express. */
export interface Inexpressible {
  path: string;
  reason: 'permissions' | 'empty_folder' | 'special_file' | 'git_folder';
}

export interface PatchPlan {
  steps: PatchStep[];
  inexpressible: Inexpressible[];
}

/** Path components that git rejects, including forms that other file systems treat as `.git`. */
const GIT_FOLDER = /(?:^|\/)(?:\.git|git~1)[ .]*(?:[:\\][^/]*)?(?:\/|$)/i;

/** The steps of a patch, in path order. Files that tacho put into the workspace are not included. */
export function planPatch(changes: readonly FsChange[]): PatchPlan {
  const own = changes.filter(({ injected }) => !injected);
  const plan: PatchPlan = { steps: [], inexpressible: [] };
  const folders = new Set(own.flatMap((change) => parentsOf(nameOf(change))));
  for (const change of own) planChange(change, folders, plan);
  return {
    steps: joinRenames(plan.steps).sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0)),
    inexpressible: plan.inexpressible,
  };
}

function planChange(change: FsChange, folders: ReadonlySet<string>, { steps, inexpressible }: PatchPlan): void {
  const path = nameOf(change);
  const reason = inexpressibleReason(change, folders);
  if (reason !== null) inexpressible.push({ path, reason });
  if (reason !== null && reason !== 'special_file') return;
  const before = sideOf(change.before, change.before_blob);
  const after = sideOf(change.after, change.after_blob);
  if (before && after && (before.mode === '120000') === (after.mode === '120000')) {
    steps.push({ kind: 'modify', path, before, after });
    return;
  }
  if (before) steps.push({ kind: 'delete', path, before });
  if (after) steps.push({ kind: 'create', path, after });
}

/** Why git cannot express the change, or part of it; null if it can. */
function inexpressibleReason(change: FsChange, folders: ReadonlySet<string>): Inexpressible['reason'] | null {
  if (GIT_FOLDER.test(nameOf(change))) return 'git_folder';
  const types = [change.before?.type, change.after?.type];
  if (types.includes('other')) return 'special_file';
  const before = sideOf(change.before, null);
  const after = sideOf(change.after, null);
  if (before && after) return before.mode === after.mode && isSameContent(before, after) ? 'permissions' : null;
  if (before || after) return null;
  if (types[0] === types[1]) return 'permissions';
  // Folders are created and deleted with their files.
  return folders.has(nameOf(change)) ? null : 'empty_folder';
}

function sideOf(entry: FsEntry | null, blob: string | null): PatchSide | null {
  if (entry?.type === 'symlink') return { mode: '120000', entry, blob: null };
  if (entry?.type !== 'file') return null;
  return { mode: (entry.mode & 0o100) === 0 ? '100644' : '100755', entry, blob };
}

export function isSameContent({ entry: one }: PatchSide, { entry: other }: PatchSide): boolean {
  if (one.type === 'symlink') return one.target === other.target && one.target_bytes === other.target_bytes;
  return one.sha256 !== null && one.sha256 === other.sha256;
}

type Creation = PatchStep & { kind: 'create' };
type Deletion = PatchStep & { kind: 'delete' };

/**
 * A file that was deleted in one place and created in another with the same content was renamed; that needs no content.
 */
function joinRenames(steps: readonly PatchStep[]): PatchStep[] {
  const created = new Map<string, Creation>();
  const deleted = new Map<string, Deletion>();
  for (const step of steps) {
    if (step.kind === 'create') created.set(step.path, step);
    if (step.kind === 'delete') deleted.set(step.path, step);
  }
  // A path with both has only changed its file type.
  const sources = new Map<string | null, Deletion[]>();
  for (const step of deleted.values()) {
    if (!created.has(step.path)) sources.set(contentOf(step), [...(sources.get(contentOf(step)) ?? []), step]);
  }
  const renamed = new Map<Creation, Deletion>();
  for (const hasSameName of [true, false]) {
    for (const step of created.values()) {
      if (contentOf(step) === null || deleted.has(step.path) || renamed.has(step)) continue;
      const candidates = sources.get(contentOf(step)) ?? [];
      const found = candidates.findIndex(({ path }) => !hasSameName || baseName(path) === baseName(step.path));
      if (found >= 0) renamed.set(step, candidates.splice(found, 1)[0]!);
    }
  }
  const gone = new Set<PatchStep>(renamed.values());
  return steps.flatMap((step): PatchStep[] => {
    const source = step.kind === 'create' ? renamed.get(step) : undefined;
    if (step.kind !== 'create' || source === undefined) return gone.has(step) ? [] : [step];
    return [{ kind: 'rename', path: step.path, from: source.path, before: source.before, after: step.after }];
  });
}

/** Links and empty files are too similar to be considered renamed. */
function contentOf(step: Creation | Deletion): string | null {
  const { entry } = step.kind === 'create' ? step.after : step.before;
  return entry.type === 'file' && entry.size > 0 ? entry.sha256 : null;
}

function nameOf({ path, path_bytes }: FsChange): string {
  return path_bytes === undefined ? nameOfText(path) : nameOfBase64(path_bytes);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) parents.push(path.slice(0, cut));
  return parents;
}
