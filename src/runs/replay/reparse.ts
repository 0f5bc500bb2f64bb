import path from 'node:path';
import { engineOf } from '../../engines/index.ts';
import { isRegularFile, readRegularFile } from '../../files/index.ts';
import type { Journal } from '../../journal/index.ts';
import {
  attemptFileNames,
  type Completion,
  isFromElsewhere,
  isRaw,
  type Meta,
  metaSchema,
  type RaspDraft,
  type RaspEvent,
  WATCHED,
} from '../../protocol/index.ts';
import { readRawTexts } from '../../record/index.ts';
import { folderFiles, type RunFolder } from '../../recording/index.ts';
import { analyzeCompletion } from '../completion/completion.ts';
import { EndObserver } from '../completion/end-evidence.ts';
import { compareEvents, type Difference } from './compare-events.ts';
import { replayAttempt } from './replay-attempt.ts';

/** The result of parsing an attempt's bytes again, compared with the recording. */
export interface Reparse {
  attempt: number;
  parser: { recorded: string; now: string };
  events: number;
  identical: boolean;
  /** The first differences; `total` counts all. */
  differences: Difference[];
  total: number;
  /** Set when the bytes now give a different completion. */
  completion: { recorded: CompletionWord; now: CompletionWord } | null;
}

type CompletionWord = Pick<Completion, 'state' | 'reason_code'>;

const MAX_SHOWN = 200;
const AGENT_ENGINE = 'agent';

/** Reads the files of an attempt again with the current parser. Nothing is written. */
export async function reparseAttempt(folder: RunFolder, attempt: number, journal: Journal): Promise<Reparse> {
  const meta = readMeta(folder, attempt);
  const profile = profileOf(meta);
  const observer = new EndObserver(profile);
  const split = meta.capture.mode !== 'merged';
  const replay = replayAttempt({
    folder,
    attempt,
    engine: meta.engine,
    mode: split ? 'split' : 'merged',
    mergedApart: meta.capture.merged_apart ?? false,
    imported: isFromElsewhere(meta.capture),
    createParser: profile.parser.create,
    exit: { exit_code: meta.exit_code, signal: meta.signal, time: Date.parse(meta.ended_at) },
  });
  const { differences, total, events } = await compareEvents(
    recordedEvents(journal, folder.runId, attempt),
    observed(replay, observer),
    { maxShown: MAX_SHOWN, older: (draft) => withInlineText(folder, draft) },
  );
  const completion = compareCompletion(meta, observer);
  return {
    attempt,
    parser: { recorded: meta.versions.parser, now: `${profile.parser.name}/${profile.parser.version}` },
    events,
    identical: total === 0 && completion === null,
    differences,
    total,
    completion,
  };
}

/** Earlier versions wrote all of the output into its event, and not how much of it was masked. */
async function withInlineText(folder: RunFolder, draft: RaspDraft): Promise<RaspDraft | null> {
  if (!isRaw(draft)) return null;
  const { lines, coalesced, text, truncated } = draft.data;
  const read = (await readRawTexts(folderFiles(folder), [draft])).get(draft);
  const shown = read && 'text' in read ? read : { text, ...(truncated && { truncated }) };
  return { ...draft, data: { ...shown, lines, ...(coalesced && { coalesced }) } };
}

/** As it was parsed then: an engine's output may have been treated as plain text. */
function profileOf({ engine, versions, capture, reading }: Meta) {
  return engineOf(engine, {
    parsed: !versions.parser.startsWith('text/'),
    sessionFile: capture.source === 'session_file',
    reading,
  });
}

export function hasMeta(folder: RunFolder, attempt: number): boolean {
  return isRegularFile(path.join(folder.audit, attemptFileNames(attempt).meta));
}

function readMeta(folder: RunFolder, attempt: number): Meta {
  return metaSchema.parse(JSON.parse(readRegularFile(path.join(folder.audit, attemptFileNames(attempt).meta))));
}

/** Only parser events: checkpoints, replies and states are not in the bytes. */
async function* recordedEvents(journal: Journal, run: string, attempt: number): AsyncGenerator<RaspEvent> {
  for await (const batch of journal.read(run)) {
    for (const event of batch) {
      if (event.attempt_number === attempt && event.source.stream !== null) yield event;
    }
  }
}

function* observed(replay: Iterable<RaspDraft[]>, observer: EndObserver): Generator<RaspDraft> {
  for (const drafts of replay) {
    observer.observe(drafts);
    yield* drafts;
  }
}

/** An end by tacho cannot be derived from the bytes; everything else can. */
function compareCompletion(meta: Meta, { evidence }: EndObserver): Reparse['completion'] {
  const { completion: recorded } = meta;
  if (recorded.rule === 0 || recorded.source === 'imported') return null;
  const { terminalBy } = profileOf(meta);
  const now = analyzeCompletion({
    exit: meta,
    exitUnknown: isFromElsewhere(meta.capture),
    // Whether the program was gone is not in its file.
    watched: meta.capture.reason === WATCHED && recorded.reason_code !== 'ENGINE_ENDED_WITHOUT_TERMINAL_EVENT',
    keepsWaiting: meta.engine === AGENT_ENGINE,
    unanswerable: recorded.reason_code === 'QUESTION_UNANSWERED',
    endedByUs: null,
    terminalBy,
    mode: meta.mode ?? 'auto',
    markerRequired: recorded.reason_code === 'DONE_MARKER_MISSING',
    // A result may have been a file, and its schema is not part of the record.
    violations: recorded.reason_code === 'OUTPUT_INVALID' ? [{ path: '', message: 'as recorded' }] : [],
    evidence,
  });
  if (now.state === recorded.state && now.reason_code === recorded.reason_code) return null;
  const word = ({ state, reason_code }: Completion) => ({ state, reason_code });
  return { recorded: word(recorded), now: word(now) };
}
