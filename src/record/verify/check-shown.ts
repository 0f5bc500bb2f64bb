import {
  attemptFileNames,
  CONVERSATION_FILE,
  CONVERSATION_POINT_FILE,
  DIAGNOSTICS_FILE,
  EQUAL_FOLD_VERSIONS,
  EVENTS_FILE,
  EVENTS_INDEX_FILE,
  LEDGER_PROOF_FILE,
  RUN_RECORD_FILE,
} from '../../protocol/index.ts';
import { isRecordersOwn } from '../archive-layout.ts';
import { withFile } from '../record-files.ts';
import { foldVersionOf } from './check-record.ts';
import { type Checking, problem } from './checking.ts';

/**
 * Files that are not sealed: caches, which are compared with the log or never shown, and partial lines left by a crash.
 */
const TORN = /^torn\.\d+(?:-\d+)?\.bin$/;
const UNSEALED: ReadonlySet<string> = new Set([
  RUN_RECORD_FILE,
  EVENTS_INDEX_FILE,
  CONVERSATION_POINT_FILE,
  LEDGER_PROOF_FILE,
]);

/**
 * Everything shown must be covered by a seal: an additional file, or additional content, is as wrong as a changed one.
 */
export async function checkUncovered({ files, seals, attempts, record, log, problems }: Checking): Promise<void> {
  // An attempt without an event was never started, unless it is just starting.
  const isBegun = (attempt: number) => log.lastSeq.has(attempt) || record === null || record.live !== null;
  const unsealed = attempts.filter((attempt) => !seals.has(attempt) && isBegun(attempt));
  const covered = new Map<string, number>();
  for (const seal of seals.values()) {
    for (const { path, bytes, prefix } of seal.files) {
      covered.set(path, prefix ? Math.max(bytes, covered.get(path) ?? 0) : Number.POSITIVE_INFINITY);
    }
    covered.set(attemptFileNames(seal.attempt).seal, Number.POSITIVE_INFINITY);
  }
  const growing = new Set(unsealed.flatMap((attempt) => Object.values<string>(attemptFileNames(attempt))));
  const shared: ReadonlySet<string> = new Set([EVENTS_FILE, CONVERSATION_FILE, DIAGNOSTICS_FILE]);
  for (const name of await files.names()) {
    if (UNSEALED.has(name) || isRecordersOwn(name) || TORN.test(name) || growing.has(name)) continue;
    // An unsealed attempt adds to these and brings blobs; that it is unsealed was already reported.
    if (unsealed.length > 0 && (shared.has(name) || name.startsWith('blobs/'))) continue;
    const bytes = covered.get(name);
    if (bytes === undefined) problems.push(problem('added', name, 'no seal covers it'));
    else if (bytes !== Number.POSITIVE_INFINITY) {
      const size = await withFile(files, name, async (file) => file?.size ?? 0);
      const message = `${size - bytes} bytes were added after it was sealed`;
      if (size > bytes && name !== EVENTS_FILE) problems.push({ ...problem('added', name, message), byte: bytes });
    }
  }
  for (const name of (await files.others?.()) ?? []) {
    if (isRecordersOwn(name)) continue;
    problems.push(problem('added', name, 'not a regular file: the recorder never creates links, pipes or devices'));
  }
}

/** The conversation and the diagnostics must match the events. */
export async function checkDerived(checking: Checking): Promise<void> {
  const { files, seals, log, problems } = checking;
  if (problems.some(({ kind }) => kind === 'chain')) return;
  for (const seal of seals.values()) {
    if (!EQUAL_FOLD_VERSIONS.has(await foldVersionOf(files, seal.attempt))) continue;
    for (const { path, bytes, sha256 } of seal.files) {
      const derived = log.derived.get(path);
      if (!derived || derived.get(bytes) === sha256 || problems.some((known) => known.path === path)) continue;
      problems.push(problem('changed', path, `does not follow from the events of attempt ${seal.attempt}`));
    }
  }
}
