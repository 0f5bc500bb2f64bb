import { type FsChange, type FsDiff, type FsEntry, isEvent } from '../../../src/protocol/index.ts';
import { mergeChanges, type RunModel } from '../../../src/record/index.ts';

export type ChangeKind = 'created' | 'modified' | 'deleted';

/** A changed path of the workspace. */
export interface FileChange {
  path: string;
  kind: ChangeKind;
  before: FsEntry | null;
  after: FsEntry | null;
  /** Hashes of the stored content; null if none was stored. */
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

/** Larger content can only be downloaded: comparing it would block the page. */
export const SHOWN_BYTES = 1024 * 1024;

/** The combined changes of several attempts, in path order. */
export function mergeDiffs(diffs: readonly FsDiff[]): FileChange[] {
  return mergeChanges(diffs).map(changeOf);
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
