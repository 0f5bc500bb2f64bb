import {
  attemptFileNames,
  metaSchema,
  RUN_FORMAT,
  RUN_RECORD_FILE,
  type RunRecord,
  readLeniently,
} from '../../protocol/index.ts';
import { readText } from '../file-pieces.ts';
import { type RecordFiles, withFile } from '../record-files.ts';
import { type Checking, problem } from './checking.ts';
import { parseJson } from './seals.ts';

const MAX_META_BYTES = 16 * 1024 * 1024;

/** The run record is a cache of the fold over the events: it must match them, up to the event it names. */
export async function checkRunRecord(checking: Checking): Promise<void> {
  const { files, record, seals, attempts, log, problems } = checking;
  if (record === null) {
    const isThere = (await files.names()).includes(RUN_RECORD_FILE);
    const message = isThere ? 'cannot be read' : 'missing';
    problems.push(problem(seals.size === 0 ? 'incomplete' : isThere ? 'changed' : 'missing', RUN_RECORD_FILE, message));
    return;
  }
  if (record.format !== RUN_FORMAT) {
    const message = `made by a newer version of tacho (${record.format}), so it cannot be compared with the events here`;
    problems.push(problem('unchecked', RUN_RECORD_FILE, message));
    return;
  }
  const live = record.live && (record.live.attempt ?? record.attempt);
  if (live && (seals.has(live) || !attempts.includes(live))) {
    problems.push(problem('incomplete', RUN_RECORD_FILE, `says that attempt ${live} is being recorded`));
  }
  // A broken chain was already reported, and leaves nothing to compare with.
  if (problems.some(({ kind }) => kind === 'chain')) return;
  // A log that was cut before its first event contains no request, but the record is still a fold.
  const isFolded = log.isFolded || typeof record.chain === 'string';
  const different = isFolded ? await differenceFromEvents(checking, record) : await differenceFromMeta(files, record);
  const isBehind = isFolded && (record.head_seq ?? 0) < log.events && live === null;
  if (different !== null) problems.push(problem('changed', RUN_RECORD_FILE, different));
  else if (isBehind) {
    const message = `made from event ${record.head_seq ?? 0}; the log has ${log.events}`;
    problems.push(problem('incomplete', RUN_RECORD_FILE, message));
  }
}

async function differenceFromEvents({ files, log }: Checking, record: RunRecord): Promise<string | null> {
  const { head_seq: head = 0, chain = null } = record;
  if (!log.head) return `was made from event ${head}, which is not in the log`;
  if (chain !== log.chainAt.get(head)) return `was made from another event ${head}`;
  // Earlier versions did not store what was recovered.
  const saysRecovered = 'recovered' in record || (await foldVersionOf(files, 1)) !== null;
  const { recovered, ...state } = log.head;
  const field = firstDifference(record, recovered && saysRecovered ? log.head : state);
  return field === null ? null : `${field} is not what the events say`;
}

/** In earlier versions the state of a run did not follow from its events; but the files of its attempts are sealed. */
async function differenceFromMeta(files: RecordFiles, { engine, cwd, last }: RunRecord): Promise<string | null> {
  if (!last) return null;
  const meta = await readMeta(files, last.attempt);
  if (!meta) return null;
  const { completion, ...facts } = meta;
  const sealed = { ...facts, state: completion.state, reason_code: completion.reason_code };
  const shown = { engine, cwd, exit_code: last.exit_code, signal: last.signal };
  const all = { ...shown, state: last.state, reason_code: last.reason_code };
  const field = Object.keys(all).find((name) => all[name as keyof typeof all] !== sealed[name as keyof typeof sealed]);
  return field === undefined ? null : `${field} is not what ${attemptFileNames(last.attempt).meta} says`;
}

/** The facts of an attempt, including those of a newer version of tacho; null if there are none. */
async function readMeta(files: RecordFiles, attempt: number) {
  const { meta: name } = attemptFileNames(attempt);
  const text = await withFile(files, name, async (file) => file && readText(file, MAX_META_BYTES));
  const read = readLeniently(metaSchema, parseJson(text ?? ''));
  return read.success ? read.data : null;
}

/** The version of the folds that produced the derived files; null if the record does not have it, as in older ones. */
export async function foldVersionOf(files: RecordFiles, attempt: number): Promise<number | null> {
  for (let number = attempt; number > 0; number--) {
    const meta = await readMeta(files, number);
    if (meta) return meta.versions.fold ?? null;
    // A closing seal does not belong to an attempt.
  }
  return null;
}

const NOT_FOLDED: ReadonlySet<string> = new Set<keyof RunRecord>(['format', 'live', 'chain', 'head_seq']);

function firstDifference(record: object, folded: object): string | null {
  const [one, other] = [record, folded] as Record<string, unknown>[];
  const names = new Set([...Object.keys(one!), ...Object.keys(other!)]);
  for (const name of names) if (!NOT_FOLDED.has(name) && ordered(one![name]) !== ordered(other![name])) return name;
  return null;
}

/** The same text for the same content, independent of the order of fields. */
function ordered(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
