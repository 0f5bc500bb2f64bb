import type { FsChange, FsDiff, FsEntry } from '../../protocol/index.ts';

/** What several attempts changed together, in the order of their paths: how it was before the first, and after the last. */
export function mergeChanges(diffs: readonly FsDiff[]): FsChange[] {
  const merged = new Map<string, FsChange>();
  for (const { created, modified, deleted } of diffs) {
    for (const change of [...created, ...modified, ...deleted]) {
      // Two names that are not text may look the same.
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

/** Something that was created and removed again, or is back to what it was. */
function isSame(before: FsEntry | null, after: FsEntry | null): boolean {
  if (before === null || after === null) return before === after;
  const facts = ({ type, size, mode, sha256, target, error }: FsEntry) => [type, size, mode, sha256, target, error];
  // Without a hash it is unknown; what the recorder called a change stays one.
  if (before.type === 'file' && before.sha256 === null) return false;
  return JSON.stringify(facts(before)) === JSON.stringify(facts(after));
}
