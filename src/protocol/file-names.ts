/** Folder inside the run folder that holds the record. */
export const AUDIT_FOLDER = '.audit';
/** Where a run works that was given no folder: apart from its record, so that whatever is removed here leaves it alone. */
export const WORK_FOLDER = 'work';
export const RUN_RECORD_FILE = '.run.json';
/** In a workspace: the socket, the secret and the logs of its terminal runtime. */
export const RUNTIME_FOLDER = '.tacho/runtime';
/** In a workspace: one folder for each run of an agent. */
export const AGENT_RUNS_FOLDER = '.tacho/runs';
/** In the data folder: one file for each run of an agent that asked to be shown. */
export const REGISTERED_AGENTS_FOLDER = 'agents';
export const EVENTS_FILE = 'events.jsonl';
export const EVENTS_INDEX_FILE = 'events.idx';
export const CONVERSATION_FILE = 'conversation.jsonl';
/**
 * Changes whenever the same events would give other messages or diagnostics, so that a file that was made from events is
 * compared only with what the same version makes of them.
 */
export const FOLD_VERSION = 2;
/** Versions that made the same of the events of their time; since 2 events may refer to output that they do not have. */
export const EQUAL_FOLD_VERSIONS: ReadonlySet<number | null> = new Set([1, FOLD_VERSION]);
/** Where the fold into the conversation can be taken up again. */
export const CONVERSATION_POINT_FILE = 'conversation.point.json';
export const DIAGNOSTICS_FILE = 'parser_diagnostics.jsonl';
/** In an exported record: shows that the ledger of the installation that made it lists its seals. */
export const LEDGER_PROOF_FILE = 'ledger-proof.json';
export const BLOBS_FOLDER = 'blobs';
/** Upper limit of `recording.blob_max_bytes`: the content of a file is held in memory while it is compared. */
export const MAX_BLOB_BYTES = 256 * 1024 * 1024;

/** File names of attempt N inside the audit folder. */
export function attemptFileNames(attempt: number) {
  return {
    meta: `meta.${attempt}.json`,
    result: `result.${attempt}.json`,
    stdin: `stdin.${attempt}.log`,
    stdout: `stdout.${attempt}.log`,
    stderr: `stderr.${attempt}.log`,
    pty: `pty-output.${attempt}.log`,
    timing: `pty-timing.${attempt}.log`,
    chunks: `chunks.${attempt}.idx`,
    fsBefore: `fs-before.${attempt}.json`,
    fsAfter: `fs-after.${attempt}.json`,
    fsDiff: `fs-diff.${attempt}.json`,
    redactions: `redactions.${attempt}.json`,
    writes: `writes.${attempt}.jsonl`,
    trace: `fd-trace.${attempt}.log`,
    seal: `seal.${attempt}.json`,
  } as const;
}
