import type { FsChange, FsDiff, FsEntry } from '../../protocol/index.ts';

/**
 * The combined changes of several attempts, in path order: from the state before the first to the state after the last.
 */
export function mergeChanges(diffs: readonly FsDiff[]): FsChange[] {
  const merged = new Map<string, FsChange>();
  for (const { created, modified, deleted } of diffs) {
    for (const change of [...created, ...modified, ...deleted]) {
      // Two names that are not valid text may look the same.
      const key = change.path_bytes ?? change.path;
      const earlier = merged.get(key);
      const { before, before_blob } = earlier ?? change;
      merged.set(key, { ...change, before, before_blob });
    }
  }
  return [...merged.values()]
    .filter(({ before, after }) => !isSame(before, after))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** It was created and removed again, or is back to its earlier state. */
function isSame(before: FsEntry | null, after: FsEntry | null): boolean {
  if (before === null || after === null) return before === after;
  const facts = ({ type, size, mode, sha256, target, error }: FsEntry) => [type, size, mode, sha256, target, error];
  // Without a hash this is unknown; a change reported by the recorder stays one.
  if (before.type === 'file' && before.sha256 === null) return false;
  return JSON.stringify(facts(before)) === JSON.stringify(facts(after));
}
