import {
  attemptFileNames,
  attemptResultSchema,
  BLOBS_FOLDER,
  fsDiffSchema,
  metaSchema,
  type RawStream,
  RUN_ID_PATTERN,
  RUN_RECORD_FILE,
  type RunRecord,
  TachoError,
} from '../../src/protocol/index.ts';
import {
  byteTimes,
  createTranscript,
  linesAround,
  type RecordFile,
  type RecordFiles,
  readRunRecord,
  runView,
  searchFile,
  type Verification,
  verifyRecord,
  withFile,
} from '../../src/record/index.ts';
import { ArchiveError } from './archive/archive-error.ts';
import { archiveFiles } from './archive/archive-files.ts';
import { type Archive, openArchive } from './archive/open-archive.ts';
import { readJson } from './archive/read-json.ts';
import { type BrokenLine, readLogs } from './archive/read-log.ts';
import type { RunSource } from './run-source.ts';

export interface ArchiveSource extends RunSource {
  verify(): Promise<Verification & { [more: string]: unknown }>;
}

/** The server's maximum per request. */
const MAX_MATCHES = 1000;
const MAX_CHUNKS = 10_000;
const LINES_AROUND = 20;

/** A run from an archive, without a server. Throws an ArchiveError if it is not a run. */
export async function archiveSource(
  blob: Blob,
  { onBroken = () => {} }: { onBroken?: (broken: BrokenLine) => void } = {},
): Promise<ArchiveSource> {
  const archive = await openArchive(blob);
  const record = await readRecord(archive);
  // As for a run folder, the folder's name is the run id, unless it was packed differently.
  const runId = RUN_ID_PATTERN.test(archive.folder) ? archive.folder : record.run_id;
  const files = archiveFiles(archive, runId);
  const inStream = <T>(stream: RawStream, attempt: number, work: (file: RecordFile) => Promise<T>) =>
    withFile(files, attemptFileNames(attempt)[stream], (file) =>
      file === null ? refuse(`attempt ${attempt} has no ${stream}`, { attempt, stream }) : work(file),
    );
  return {
    kind: 'archive',
    agent: null,
    run: async () => runView(record),
    async follow(handlers, signal) {
      // Never 0: an archive that is still being read must not look like a live run.
      handlers.onOpened(Math.max(1, record.head_seq ?? 0));
      await readLogs(files, { ...handlers, onBroken }, signal);
    },
    raw: (stream, attempt, { from, to }) =>
      inStream(stream, attempt, async (file) => ({ bytes: await file.read(from, to), from, total: file.size })),
    searchRaw: (stream, attempt, text, from, signal) =>
      inStream(stream, attempt, (file) => searchFile(file, { text, from, limit: MAX_MATCHES, signal })),
    lines: (stream, attempt, around) =>
      inStream(stream, attempt, (file) => linesAround(file, { around, before: LINES_AROUND, after: LINES_AROUND })),
    async timing(attempt, cursor) {
      const times = await byteTimes(files, attempt, { cursor, limit: MAX_CHUNKS });
      return times ?? refuse(`attempt ${attempt} has no times of its bytes`, { attempt });
    },
    async attempt(attempt) {
      const meta = await readJson(files, attemptFileNames(attempt).meta, metaSchema);
      return meta ?? refuse(`attempt ${attempt} of ${record.run_id} has no facts`, { attempt });
    },
    async files(attempt) {
      const diff = await readJson(files, attemptFileNames(attempt).fsDiff, fsDiffSchema);
      return diff ?? refuse(`attempt ${attempt} of ${record.run_id} has no list of files`, { attempt });
    },
    fileContent: (sha256) => fileContent(files, sha256),
    async result(attempt) {
      const result = await readJson(files, attemptFileNames(attempt).result, attemptResultSchema);
      if (result === null) return refuse(`attempt ${attempt} of ${record.run_id} has no result`, { attempt });
      return { ...result, repair_attempt: result.repair === 'done' ? attempt : null };
    },
    artifact: ({ sha256 }) => fileContent(files, sha256),
    async transcript(events) {
      const transcript = createTranscript(files);
      await transcript.push(events);
      return [...transcript.pieces()];
    },
    verify: () => verifyRecord(files),
  };
}

async function fileContent(files: RecordFiles, sha256: string): Promise<Uint8Array> {
  const name = /^[0-9a-f]{64}$/.test(sha256) ? `${BLOBS_FOLDER}/${sha256}` : '';
  const content = await withFile(files, name, async (file) => file?.read(0, file.size));
  if (content === undefined) throw new TachoError('NOT_FOUND', 'the run keeps no content with this sha256');
  return content;
}

/** The record of the run, as far as this page knows its format. */
async function readRecord(archive: Archive): Promise<RunRecord> {
  try {
    return await readRunRecord(archiveFiles(archive, ''));
  } catch (error) {
    if (!(error instanceof TachoError)) throw error;
    const { format, known } = error.facts as { format?: string; known?: string };
    if (format !== undefined && known !== undefined) throw new ArchiveError({ kind: 'newer', format, known }, error);
    throw new ArchiveError({ kind: 'damaged', file: RUN_RECORD_FILE, what: error.message }, error);
  }
}

function refuse(message: string, facts: Record<string, unknown>): never {
  throw new TachoError('ATTEMPT_NOT_FOUND', message, { facts });
}
