import { AUDIT_FOLDER, RUN_RECORD_FILE } from '../protocol/index.ts';

/**
 * An archive of a run is a zip with one folder, named by the run's id, that holds `.run.json` and `.audit` with the
 * same names as on disk, so that an unpacked archive can be verified directly.
 */

/** Locks, partially written files and files set aside are internal to the recorder and never shown. */
export function isRecordersOwn(name: string): boolean {
  return /(?:^|\/)(?:lock\.(?:\d+|tmp-[^/]+)|[^/]*\.(?:tmp|foreign))$/.test(name);
}

/** The files of an archive, `.run.json` first. */
export function archivedNames(names: readonly string[]): string[] {
  const kept = names.filter((name) => !isRecordersOwn(name));
  return [...kept.filter((name) => name === RUN_RECORD_FILE), ...kept.filter((name) => name !== RUN_RECORD_FILE)];
}

/** Path of a file of the record, relative to the run folder. */
export function pathInRun(name: string): string {
  return name === RUN_RECORD_FILE ? name : `${AUDIT_FOLDER}/${name}`;
}

/** The name of the file at a path relative to the run folder; null if it is not part of the record. */
export function nameInRecord(path: string): string | null {
  if (path === RUN_RECORD_FILE) return path;
  return path.startsWith(`${AUDIT_FOLDER}/`) ? path.slice(AUDIT_FOLDER.length + 1) : null;
}

/** Folders of an archive that hold a run record, each with its trailing slash; they may be nested. */
export function runFoldersIn(paths: Iterable<string>): string[] {
  return [...paths]
    .filter((path) => path === RUN_RECORD_FILE || path.endsWith(`/${RUN_RECORD_FILE}`))
    .map((path) => path.slice(0, -RUN_RECORD_FILE.length));
}
