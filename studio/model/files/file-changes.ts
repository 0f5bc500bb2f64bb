import { type FsChange, type FsDiff, type FsEntry, isEvent } from '../../../src/protocol/index.ts';
import type { RunModel } from '../../../src/record/index.ts';

export type ChangeKind = 'created' | 'modified' | 'deleted';

/** A path of the workspace that is not what it was. */
export interface FileChange {
  path: string;
  kind: ChangeKind;
  before: FsEntry | null;
  after: FsEntry | null;
  /** Names of the content that was kept; null where none was. */
  beforeBlob: string | null;
  afterBlob: string | null;
  /** Put there by tacho, not by the program. */
  injected: boolean;
}

export interface ChangeCounts {
  created: number;
  modified: number;
  deleted: number;
}

/** Larger content is offered as a download only: comparing it would stop the page. */
export const SHOWN_BYTES = 1024 * 1024;

/** What several attempts changed together, in the order of their paths: how it was before the first, and after the last. */
export function mergeDiffs(diffs: readonly FsDiff[]): FileChange[] {
  const merged = new Map<string, FileChange>();
  for (const { created, modified, deleted } of diffs) {
    for (const change of [...created, ...modified, ...deleted]) {
      // Two names that are no text may look the same.
      const key = change.path_bytes ?? change.path;
      const earlier = merged.get(key);
      const one = changeOf(change);
      merged.set(key, earlier ? { ...one, before: earlier.before, beforeBlob: earlier.beforeBlob } : one);
    }
  }
  return [...merged.values()]
    .filter(({ before, after }) => !isSame(before, after))
    .map((change) => ({ ...change, kind: kindOf(change) }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

export function countChanges(changes: Iterable<FileChange>): ChangeCounts {
  const counts = { created: 0, modified: 0, deleted: 0 };
  for (const { kind } of changes) counts[kind]++;
  return counts;
}

/** The last event about each path, in one attempt or in all. */
export function touchedBy(model: RunModel, attempt: number | null): Map<string, number> {
  const touched = new Map<string, number>();
  for (const event of model.events) {
    if (attempt !== null && event.attempt_number !== attempt) continue;
    if (
      isEvent(event, 'artifact.created') ||
      isEvent(event, 'artifact.modified') ||
      isEvent(event, 'artifact.deleted')
    ) {
      touched.set(event.data.path, event.seq);
    }
  }
  return touched;
}

function changeOf({ path, before, after, before_blob, after_blob, injected = false }: FsChange): FileChange {
  return {
    path,
    kind: kindOf({ before, after }),
    before,
    after,
    beforeBlob: before_blob,
    afterBlob: after_blob,
    injected,
  };
}

function kindOf({ before, after }: Pick<FileChange, 'before' | 'after'>): ChangeKind {
  if (before === null) return 'created';
  return after === null ? 'deleted' : 'modified';
}

/** Something that was made and taken away again, or is back to what it was. */
function isSame(before: FsEntry | null, after: FsEntry | null): boolean {
  if (before === null || after === null) return before === after;
  const facts = ({ type, size, mode, sha256, target, error }: FsEntry) => [type, size, mode, sha256, target, error];
  // Without a hash it is unknown; a change reported by the recorder stays a change.
  if (before.type === 'file' && before.sha256 === null) return false;
  return JSON.stringify(facts(before)) === JSON.stringify(facts(after));
}
