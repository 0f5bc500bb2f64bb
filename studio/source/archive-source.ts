import {
  attemptFileNames,
  BLOBS_FOLDER,
  fsDiffSchema,
  metaSchema,
  type RawStream,
  type RunRecord,
  type RunView,
  TachoError,
} from '../../src/protocol/index.ts';
import { readBytes } from './archive/blob-bytes.ts';
import { openArchive } from './archive/open-archive.ts';
import { type BrokenLine, readLogs } from './archive/read-log.ts';
import { readTiming } from './archive/read-timing.ts';
import { type RecordFiles, readAudit, readRecord, recordFiles } from './archive/record-files.ts';
import { linesAround, searchBlob } from './archive/search-lines.ts';
import { type ArchiveVerification, verifyArchive } from './archive/verify-archive.ts';
import type { RunSource } from './run-source.ts';

export interface ArchiveSource extends RunSource {
  verify(): Promise<ArchiveVerification>;
}

/** A run out of an archive, without any server. Throws an ArchiveError for what is no run. */
export async function archiveSource(
  blob: Blob,
  { onBroken = () => {} }: { onBroken?: (broken: BrokenLine) => void } = {},
): Promise<ArchiveSource> {
  const archive = await openArchive(blob);
  const record = await readRecord(archive);
  const files = recordFiles(archive);
  const raw = (stream: RawStream, attempt: number) => rawFile(files, stream, attempt);
  return {
    kind: 'archive',
    run: async () => viewOf(record),
    async follow(handlers, signal) {
      // Never 0: an archive that is still read must not look like a run that is live.
      handlers.onOpened(Math.max(1, record.head_seq ?? 0));
      await readLogs(files, record.run_id, { ...handlers, onBroken }, signal);
    },
    async raw(stream, attempt, { from, to }) {
      const content = await raw(stream, attempt);
      return { bytes: await readBytes(content, from, to), from, total: content.size };
    },
    searchRaw: async (stream, attempt, text, from, signal) =>
      searchBlob(await raw(stream, attempt), { text, from, signal }),
    lines: async (stream, attempt, around) => linesAround(await raw(stream, attempt), around),
    timing: (attempt, cursor) => readTiming(files, attempt, cursor),
    async attempt(attempt) {
      const meta = await readAudit(files, attemptFileNames(attempt).meta, metaSchema);
      return meta ?? refuse(`attempt ${attempt} of ${record.run_id} has no facts`, { attempt });
    },
    async files(attempt) {
      const diff = await readAudit(files, attemptFileNames(attempt).fsDiff, fsDiffSchema);
      return diff ?? refuse(`attempt ${attempt} of ${record.run_id} has no list of files`, { attempt });
    },
    async fileContent(sha256) {
      const content = /^[0-9a-f]{64}$/.test(sha256) ? await files.audit(`${BLOBS_FOLDER}/${sha256}`) : null;
      if (content === null) throw new TachoError('NOT_FOUND', 'the run keeps no content with this sha256');
      return new Uint8Array(await content.arrayBuffer());
    },
    verify: () => verifyArchive(files, record),
  };
}

async function rawFile(files: RecordFiles, stream: RawStream, attempt: number): Promise<Blob> {
  const content = await files.audit(attemptFileNames(attempt)[stream]);
  return content ?? refuse(`attempt ${attempt} has no ${stream}`, { attempt, stream });
}

function refuse(message: string, facts: Record<string, unknown>): never {
  throw new TachoError('ATTEMPT_NOT_FOUND', message, { facts });
}

/** As a server shows it; an archive waits in no queue. */
function viewOf(record: RunRecord): RunView {
  return {
    run_id: record.run_id,
    handle: record.handle,
    engine: record.engine,
    status: record.status,
    mode: record.mode ?? 'auto',
    attempt: record.attempt,
    prompt: record.launch?.prompt ?? null,
    command: record.command,
    cwd: record.cwd,
    session_id: record.session_id ?? null,
    created_at: record.created_at,
    updated_at: record.updated_at,
    priority: record.queue?.priority ?? 0,
    queue_position: null,
    question: record.question ?? null,
    last: record.last,
    usage: record.usage ?? null,
    head_seq: record.head_seq ?? 0,
  };
}
