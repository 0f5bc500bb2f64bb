import fs from 'node:fs';
import path from 'node:path';
import { isRegularFile } from '../../files/index.ts';
import {
  attemptFileNames,
  type DeliveredSkill,
  isEvent,
  isFromElsewhere,
  type OutputStream,
  type RaspEvent,
  type RawStream,
  type Redactions,
} from '../../protocol/index.ts';
import { hashFile, ptyHeaderBytes, type RunFolder, writeWhole } from '../../recording/index.ts';
import type { AttemptLog } from '../attempt/attempt-log.ts';
import type { AlreadyWritten } from '../attempt/closing.ts';
import type { PreparedRun } from '../attempt/prepare-run.ts';
import { recordedProfile } from '../request/recorded-request.ts';
import { readRedactions, replayAttempt } from './replay-attempt.ts';

interface Known extends AlreadyWritten {
  /** Number of parser events that are already in the journal. */
  parserBorn: number;
  /** Bytes of each stream that events already cover. */
  covered: Record<OutputStream, number>;
  /** How the program ended, if the journal already contains it. */
  exit: { exit_code: number | null; signal: string | null };
  lastTime: number | null;
  /** The loss of the recorder is already reported: an earlier recovery was interrupted. */
  lost: boolean;
  /** Skills that the engine got. */
  skills: readonly DeliveredSkill[];
}

export async function readKnown(events: AsyncIterable<RaspEvent[]>, attempt: number, log: AttemptLog): Promise<Known> {
  const artifacts = new Set<string>();
  const covered = { stdout: 0, stderr: 0, pty: 0 };
  const exit = { exit_code: null, signal: null };
  const written: AlreadyWritten = { completion: null, status: false, artifacts };
  const known: Known = { ...written, parserBorn: 0, covered, exit, lastTime: null, lost: false, skills: [] };
  for await (const batch of events) {
    const own = batch.filter((event) => event.attempt_number === attempt);
    log.count(own);
    for (const event of own) {
      log.correlator.observe(event, event.seq);
      known.lastTime = Date.parse(event.ts);
      const parserBorn = event.source.stream !== null;
      if (parserBorn) known.parserBorn++;
      if (isEvent(event, 'lifecycle.completion.state')) {
        const { exit_code = null, signal = null, ...completion } = event.data;
        known.exit = { exit_code, signal };
        known.completion = {
          ...completion,
          rule: 0,
          evidence: [{ kind: 'event', detail: `seq ${event.seq}`, raw_ref: null }],
        };
      }
      if (isEvent(event, 'diagnostic.runtime.warning')) known.lost ||= event.data.code === 'SUPERVISOR_LOST';
      if (isEvent(event, 'lifecycle.run.skills')) known.skills = event.data.skills;
      if (isEvent(event, 'lifecycle.run.status')) known.status = known.completion !== null;
      if (event.event.category === 'artifact') artifacts.add((event.data as { path: string }).path);
      // A session's command references its output before the parser has read it.
      if (!parserBorn) continue;
      for (const range of Array.isArray(event.raw_ref) ? event.raw_ref : [event.raw_ref]) {
        if (!range || range.stream === 'stdin') continue;
        known.covered[range.stream] = Math.max(known.covered[range.stream], range.byte_to);
      }
    }
  }
  return known;
}

/** Parses the bytes without an event yet, and stores their events. */
export async function appendMissing(run: PreparedRun, known: Known, log: AttemptLog, endedAt: number): Promise<void> {
  const { folder, record, attempt } = run;
  const mode = record.live!.capture.mode === 'merged' ? 'merged' : 'split';
  maskUnread(run, known);
  const { parser, terminalBy } = recordedProfile(record);
  // Lines of a plain command are independent. An engine's are not, so all of them are parsed again and known events are
  // skipped: the same bytes give the same events.
  const fromStart = terminalBy === 'engine';
  let toPass = fromStart ? known.parserBorn : 0;
  const replay = replayAttempt({
    folder,
    attempt,
    engine: record.engine,
    mode,
    imported: isFromElsewhere(record.live!.capture),
    createParser: parser.create,
    exit: { exit_code: null, signal: null, time: endedAt / 1000 },
    ...(fromStart ? {} : { from: known.covered }),
  });
  for (const drafts of replay) {
    const passed = Math.min(toPass, drafts.length);
    toPass -= passed;
    await log.append(drafts.slice(passed));
  }
}

/**
 * The values of secrets were lost with the supervisor. Output after its last event may contain one, so that part is
 * masked completely; the raw file keeps it.
 */
function maskUnread({ folder, record, attempt }: PreparedRun, known: Known): void {
  const names = record.live?.secret_names ?? [];
  if (names.length === 0) return;
  const files = attemptFileNames(attempt);
  const header = ptyHeaderBytes(path.join(folder.audit, files.pty));
  const unread = outputSizes(folder, attempt).map(({ stream, bytes }) => ({
    stream,
    byte_from: Math.max(0, known.covered[stream] - (stream === 'pty' ? header : 0)),
    byte_to: bytes,
    name: names.join(' '),
  }));
  const ranges = [...readRedactions(folder, attempt), ...unread.filter((range) => range.byte_from < range.byte_to)];
  const content: Redactions = { format: 'tacho-redactions/1', ranges };
  writeWhole(path.join(folder.audit, files.redactions), `${JSON.stringify(content)}\n`, { replace: true });
}

/** Output streams with their sizes, without headers. */
export function outputSizes(folder: RunFolder, attempt: number): { stream: OutputStream; bytes: number }[] {
  const names = attemptFileNames(attempt);
  const size = (name: string) => {
    const stat = fs.lstatSync(path.join(folder.audit, name), { throwIfNoEntry: false });
    return stat?.isFile() ? stat.size : null;
  };
  if (size(names.stdout) === null) {
    const bytes = Math.max(0, (size(names.pty) ?? 0) - ptyHeaderBytes(path.join(folder.audit, names.pty)));
    return [{ stream: 'pty', bytes }];
  }
  return [
    { stream: 'stdout', bytes: size(names.stdout) ?? 0 },
    { stream: 'stderr', bytes: size(names.stderr) ?? 0 },
  ];
}

export function checkpoints(
  folder: RunFolder,
  attempt: number,
): { stream: RawStream; bytes: number; sha256: string }[] {
  const names = attemptFileNames(attempt);
  const streams = ['stdin', 'stdout', 'stderr', 'pty'] as const;
  return streams
    .map((stream) => ({ stream, file: path.join(folder.audit, names[stream]) }))
    .filter(({ file }) => isRegularFile(file))
    .map(({ stream, file }) => ({ stream, ...hashFile(file) }));
}
