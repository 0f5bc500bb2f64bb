import {
  attemptFileNames,
  CONVERSATION_FILE,
  CONVERSATION_POINT_FILE,
  DIAGNOSTICS_FILE,
  EVENTS_FILE,
  EVENTS_INDEX_FILE,
  FOLD_VERSION,
  metaSchema,
  RUN_FORMAT,
  RUN_RECORD_FILE,
  type RunRecord,
} from '../../protocol/index.ts';
import { readText } from '../file-pieces.ts';
import { withFile } from '../record-files.ts';
import { type Checking, problem } from './checking.ts';

/** What is beside the record, and shown nowhere: caches, locks, and what a crash left of a line or a file. */
const BESIDE = /^(?:lock\.\d+|torn\.\d+(?:-\d+)?\.bin|.*\.\d+\.[0-9a-f]{8}\.tmp)$/;
const CACHES: ReadonlySet<string> = new Set([RUN_RECORD_FILE, EVENTS_INDEX_FILE, CONVERSATION_POINT_FILE]);
const MAX_META_BYTES = 16 * 1024 * 1024;

/** Nothing is shown that no seal covers: a file more, or more in a file, is as wrong as a changed one. */
export async function checkUncovered({ files, seals, attempts, problems }: Checking): Promise<void> {
  const unsealed = attempts.filter((attempt) => !seals.has(attempt));
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
    if (CACHES.has(name) || BESIDE.test(name) || growing.has(name)) continue;
    // An attempt that is not sealed adds to these, and brings blobs; that it is not sealed was said.
    if (unsealed.length > 0 && (shared.has(name) || name.startsWith('blobs/'))) continue;
    const bytes = covered.get(name);
    if (bytes === undefined) problems.push(problem('added', name, 'no seal covers it'));
    else if (bytes !== Number.POSITIVE_INFINITY) {
      const size = await withFile(files, name, async (file) => file?.size ?? 0);
      const message = `${size - bytes} bytes were added after it was sealed`;
      if (size > bytes && name !== EVENTS_FILE) problems.push({ ...problem('added', name, message), byte: bytes });
    }
  }
}

/** The conversation and the diagnostics say what the events say. */
export async function checkDerived(checking: Checking): Promise<void> {
  const { seals, log, problems } = checking;
  if (problems.some(({ kind }) => kind === 'chain')) return;
  for (const seal of seals.values()) {
    if ((await foldVersionOf(checking, seal.attempt)) !== FOLD_VERSION) continue;
    for (const { path, bytes, sha256 } of seal.files) {
      const derived = log.derived.get(path);
      if (!derived || derived.get(bytes) === sha256 || problems.some((known) => known.path === path)) continue;
      problems.push(problem('changed', path, `does not follow from the events of attempt ${seal.attempt}`));
    }
  }
}

/** Which version of the fold made the conversation; null where the record does not say, as older ones do not. */
async function foldVersionOf({ files }: Checking, attempt: number): Promise<number | null> {
  for (let number = attempt; number > 0; number--) {
    const text = await withFile(
      files,
      attemptFileNames(number).meta,
      async (file) => file && readText(file, MAX_META_BYTES),
    );
    if (text === null) continue; // A closing seal has no attempt of its own.
    const versions = metaSchema.shape.versions.partial().safeParse(parse(text)?.versions);
    return versions.success ? (versions.data.fold ?? null) : null;
  }
  return null;
}

/** The run record is a cache of the fold over the events: it says what they say, up to the event it names. */
export async function checkRunRecord({ record, log, problems }: Checking): Promise<void> {
  // A broken chain was said, and leaves nothing to compare with.
  if (!record || record.format !== RUN_FORMAT || !log.isFolded || problems.some(({ kind }) => kind === 'chain')) return;
  const { head_seq: head = 0, chain = null } = record;
  const say = (message: string) => problems.push(problem('changed', RUN_RECORD_FILE, message));
  if (!log.head) say(`was made from event ${head}, which is not in the log`);
  else if (chain !== log.chainAt.get(head)) say(`was made from another event ${head}`);
  else {
    const field = firstDifference(record, log.head);
    if (field !== null) say(`${field} is not what the events say`);
  }
}

const NOT_FOLDED: ReadonlySet<string> = new Set<keyof RunRecord>(['format', 'live', 'chain', 'head_seq']);

function firstDifference(record: object, folded: object): string | null {
  const [one, other] = [record, folded] as Record<string, unknown>[];
  const names = new Set([...Object.keys(one!), ...Object.keys(other!)]);
  for (const name of names) if (!NOT_FOLDED.has(name) && ordered(one![name]) !== ordered(other![name])) return name;
  return null;
}

/** The same text for the same content, whatever the order of its fields. */
function ordered(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

function parse(text: string): { versions?: unknown } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
