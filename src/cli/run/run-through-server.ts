import fs from 'node:fs';
import path from 'node:path';
import { createClient, type NewRun } from '../../client/index.ts';
import {
  attemptFileNames,
  CONVERSATION_FILE,
  type FcmpMessage,
  type Meta,
  metaSchema,
  type RunRecord,
  TachoError,
} from '../../protocol/index.ts';
import { findRun, type RunFolder, readRunRecord } from '../../recording/index.ts';
import {
  ControlClient,
  callerEnvironment,
  controlPath,
  type RunContext,
  type RunOutcome,
  type RunRequest,
  type RunWatcher,
} from '../../runs/index.ts';
import { loadTokens } from '../../server/index.ts';

const LOOK_MS = 40;

/** What the server takes over; the rest is recorded here, as if there were none. */
export function canGoThroughServer(
  { runSelector, keepTrace, agent, interactive }: RunRequest,
  context: RunContext,
): boolean {
  const plainAgent = agent === null || (agent.parse && !agent.authFromHome && agent.session === null);
  const { config } = context;
  // A person who types wants the echo and the modes of a terminal of their own.
  return (
    runSelector === null &&
    !interactive &&
    !keepTrace &&
    plainAgent &&
    config.recording.level === 'full' &&
    !hasPipedInput()
  );
}

/** What is piped into a program has to be handed to it byte for byte, which only its own recorder can. */
function hasPipedInput(): boolean {
  try {
    const stat = fs.fstatSync(0);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    return false; // There is no input at all.
  }
}

/**
 * Lets the server run it, and watches here: the same files, the same events, the same keys to press as if this process
 * recorded it itself. Ending this process leaves the run alone; Ctrl-C ends the run.
 */
export async function runThroughServer(
  request: RunRequest,
  context: RunContext,
  watcher: RunWatcher,
  url: string,
): Promise<RunOutcome> {
  const begun = Date.now();
  const client = createClient({ url, token: loadTokens(context.home.root).admin });
  const created = await client.createRun(newRun(request, context));
  const folder = findRun(context.home.runs, created.run_id);
  const conversation = new ConversationReader(folder);
  let control: ControlClient | null = null;
  let prepared = false;
  let started = false;
  try {
    for (;;) {
      const record = readRunRecord(folder);
      const rested = hasRested(record);
      const isThere = record.live?.child || (rested && readMeta(folder, record.attempt) !== null);
      if (isThere && !prepared) {
        watcher.prepared?.({ runId: folder.runId, runDir: folder.path, attempt: record.attempt });
        prepared = true;
      }
      if (isThere && !started) {
        control = rested
          ? null
          : await ControlClient.connect(controlPath(context.home, record.handle)).catch(() => null);
        // A quick program is over before it can be reached, or between two looks; what it printed is shown all the same.
        started = control !== null || rested;
        if (started) watcher.started?.(controlOf(control, record));
      }
      watcher.recorded?.();
      watcher.conversed?.(conversation.take());
      if (rested) return outcomeOf(folder, record, Date.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  } finally {
    control?.close();
  }
}

function hasRested({ status, live }: RunRecord): boolean {
  return live === null && status !== 'queued' && status !== 'running';
}

/** What this process would have given the program, since the server's own environment is another. */
function newRun(request: RunRequest, context: RunContext): NewRun {
  const { agent, capture, cols, rows } = request;
  const { limits } = context.config;
  const common = {
    env: { ...callerEnvironment(request, context), ...request.env },
    capture,
    cols,
    rows,
    cwd: request.cwd ?? undefined,
    limits: {
      timeout_ms: limits.timeout_ms ?? undefined,
      no_progress_timeout_ms: limits.no_progress_timeout_ms ?? undefined,
    },
  };
  if (!agent) return { ...common, command: [...request.command] };
  return {
    ...common,
    engine: request.engine,
    prompt: agent.prompt,
    mode: agent.mode,
    model: agent.model ?? undefined,
    base_url: agent.baseUrl ?? undefined,
    format: agent.format ?? undefined,
    engine_args: [...agent.engineArguments],
    require_marker: agent.requireMarker,
  };
}

/** The terminal as a console of this process sees it; null when it is over. */
function controlOf(client: ControlClient | null, record: RunRecord): Parameters<NonNullable<RunWatcher['started']>>[0] {
  const send = async (command: Parameters<ControlClient['send']>[0]) => {
    await client?.send(command).catch(() => {});
  };
  const write = (bytes: Buffer) => send({ op: 'write', data: bytes.toString('base64') });
  return {
    pid: record.live?.child?.pid ?? 0,
    terminal: { expectsNewlineTranslation: () => true },
    write,
    feed: write,
    endFeed: () => write(Buffer.from('\u0004')),
    resize: (cols, rows) => void send({ op: 'resize', cols, rows }),
    cancel: () => void send({ op: 'cancel' }),
  };
}

function outcomeOf(folder: RunFolder, record: RunRecord, durationMs: number): RunOutcome {
  const { status, last, attempt, session_id: sessionId = null, usage = null, question } = record;
  const meta = readMeta(folder, attempt);
  return {
    engine: record.engine,
    runId: folder.runId,
    runDir: folder.path,
    attempt,
    status,
    completion: meta?.completion ?? {
      ...NEVER_BEGAN,
      reason_code: status === 'canceled' ? 'CANCELED' : 'TERMINAL_FAILED',
    },
    exit_code: last?.exit_code ?? null,
    signal: last?.signal ?? null,
    error: meta?.error ? new TachoError('RECORDING_FAILED', meta.error.message) : null,
    durationMs,
    sessionId,
    model: meta?.model ?? record.launch?.model ?? null,
    usage,
    lastMessage: question?.prompt ?? null,
  };
}

const NEVER_BEGAN: Meta['completion'] = {
  state: 'interrupted',
  reason_code: 'CANCELED',
  rule: 0,
  source: 'tacho',
  confidence: 1,
  needs_user_input: false,
  diagnostics: [],
  evidence: [],
};

function readMeta(folder: RunFolder, attempt: number): Meta | null {
  try {
    const text = fs.readFileSync(path.join(folder.audit, attemptFileNames(attempt).meta), 'utf8');
    return metaSchema.parse(JSON.parse(text));
  } catch {
    return null; // It ended before it began.
  }
}

/** What is new in the conversation file since the last look. */
class ConversationReader {
  readonly #file: string;
  #position = 0;

  constructor(folder: RunFolder) {
    this.#file = path.join(folder.audit, CONVERSATION_FILE);
  }

  take(): FcmpMessage[] {
    const size = fs.statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= this.#position) return [];
    const fd = fs.openSync(this.#file, 'r');
    try {
      const bytes = Buffer.alloc(size - this.#position);
      const read = fs.readSync(fd, bytes, 0, bytes.length, this.#position);
      const whole = bytes.subarray(0, read).lastIndexOf(0x0a) + 1;
      this.#position += whole;
      const lines = bytes.toString('utf8', 0, whole).split('\n').filter(Boolean);
      return lines.map((line) => JSON.parse(line) as FcmpMessage);
    } finally {
      fs.closeSync(fd);
    }
  }
}
