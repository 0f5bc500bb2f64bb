import { AUDIT_FOLDER, RUN_RECORD_FILE } from '../protocol/index.ts';

/**
 * An archive of a run is a zip with one folder, named by the run's id, that holds `.run.json` and `.audit` under the names
 * they have on disk: what is unpacked verifies as it is.
 */

/** Locks, half-written files and what was set aside are the recorder's own: nothing of them is shown. */
export function isRecordersOwn(name: string): boolean {
  return /(?:^|\/)(?:lock\.(?:\d+|tmp-[^/]+)|[^/]*\.(?:tmp|foreign))$/.test(name);
}

/** The files that belong into an archive, `.run.json` first. */
export function archivedNames(names: readonly string[]): string[] {
  const kept = names.filter((name) => !isRecordersOwn(name));
  return [...kept.filter((name) => name === RUN_RECORD_FILE), ...kept.filter((name) => name !== RUN_RECORD_FILE)];
}

/** Where a file of the record is, relative to the run folder. */
export function pathInRun(name: string): string {
  return name === RUN_RECORD_FILE ? name : `${AUDIT_FOLDER}/${name}`;
}

/** The name of the file at a path relative to the run folder; null for what is not part of the record. */
export function nameInRecord(path: string): string | null {
  if (path === RUN_RECORD_FILE) return path;
  return path.startsWith(`${AUDIT_FOLDER}/`) ? path.slice(AUDIT_FOLDER.length + 1) : null;
}

/** Folders of an archive that hold a run record, each with its last slash; they may be nested. */
export function runFoldersIn(paths: Iterable<string>): string[] {
  return [...paths]
    .filter((path) => path === RUN_RECORD_FILE || path.endsWith(`/${RUN_RECORD_FILE}`))
    .map((path) => path.slice(0, -RUN_RECORD_FILE.length));
}
