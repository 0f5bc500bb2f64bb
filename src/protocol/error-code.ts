/** Every way tacho can refuse, with the exit code of the command that met it. Codes are stable; sentences may improve. */
export const ERROR_CODES = {
  USAGE: { exit: 2, meaning: 'The command line cannot be understood.' },
  UNKNOWN_COMMAND: { exit: 2, meaning: 'There is no tacho command with that name.' },
  PLATFORM_UNSUPPORTED: { exit: 1, meaning: 'This system lacks something tacho cannot work without.' },
  COMMAND_NOT_FOUND: { exit: 127, meaning: 'The program to record is not on PATH.' },
  COMMAND_NOT_EXECUTABLE: { exit: 126, meaning: 'The program to record exists but may not be executed.' },
  CWD_NOT_FOUND: { exit: 1, meaning: 'The working folder does not exist or is not a folder.' },
  DATA_FOLDER_UNWRITABLE: { exit: 1, meaning: 'The data folder cannot be created or written.' },
  RUN_FOLDER_READ_ONLY: { exit: 1, meaning: 'The run folder cannot be written.' },
  DISK_FULL: { exit: 1, meaning: 'The disk filled up; the record stops where it says it stops.' },
  RECORDING_FAILED: { exit: 1, meaning: 'An attempt file could not be written.' },
  RECORD_TOUCHED: { exit: 1, meaning: 'The record was touched during recording, most likely by the program.' },
  RUN_NOT_FOUND: { exit: 1, meaning: 'No run matches the selector.' },
  RUN_AMBIGUOUS: { exit: 1, meaning: 'More than one run matches the selector.' },
  RUN_LOCKED: { exit: 1, meaning: 'Another live process is writing this run.' },
  RUN_RECORD_CORRUPT: { exit: 1, meaning: 'The run record (.run.json) cannot be read.' },
  ATTEMPT_NOT_FOUND: { exit: 1, meaning: 'The run has no such attempt or stream.' },
  FORMAT_TOO_NEW: { exit: 1, meaning: 'The record was made by a newer tacho.' },
  JOURNAL_DAMAGED: { exit: 1, meaning: 'The event log does not follow its own rules.' },
  JOURNAL_FENCED: { exit: 1, meaning: 'A newer writer took over this run.' },
  VERIFY_FAILED: { exit: 1, meaning: 'The record was changed after it was sealed.' },
  RECORD_INCOMPLETE: { exit: 1, meaning: 'The recording was cut off before it could be sealed.' },
  ALREADY_SEALED: { exit: 1, meaning: 'The attempt is already sealed and is not signed again.' },
  NOT_BEGUN_HERE: {
    exit: 1,
    meaning: 'The attempt was not begun by this installation, which therefore does not sign it.',
  },
  LEDGER_DAMAGED: { exit: 1, meaning: 'The ledger of seals is damaged.' },
  LEDGER_LOCKED: { exit: 1, meaning: 'Another process held the lock on the ledger of seals for too long.' },
  TRACE_UNAVAILABLE: { exit: 1, meaning: 'strace is missing or not permitted here.' },
  ISOLATION_BROKEN: { exit: 1, meaning: 'The environment would let the program out of its managed home.' },
  CONFIG_INVALID: { exit: 2, meaning: 'A configuration value is not acceptable.' },
  CONFIG_UNKNOWN_KEY: { exit: 2, meaning: 'A configuration key is not known.' },
  TRUST_NEEDS_TERMINAL: {
    exit: 2,
    meaning: 'Trusting a folder needs confirmation, and there is no terminal to ask on.',
  },
  TRUST_MISMATCH: { exit: 1, meaning: 'The content of the folder does not match the given hash.' },
  TRUST_REFUSED: { exit: 1, meaning: 'The folder cannot be trusted here, or was not.' },
  UNKNOWN_ENGINE: { exit: 2, meaning: 'There is no engine with that name.' },
  ENGINE_NOT_INSTALLED: { exit: 127, meaning: 'The engine’s program was not found.' },
  ENGINE_UNSUPPORTED: { exit: 1, meaning: 'The engine, in this version or on this machine, cannot be run by tacho.' },
  ENGINE_INSTALL_FAILED: { exit: 1, meaning: 'The engine could not be installed.' },
  ENGINE_BUSY: { exit: 1, meaning: 'Another tacho holds the engine’s configuration for too long.' },
  PROMPT_INVALID: { exit: 2, meaning: 'The prompt is missing or cannot be handed to a program.' },
  PROMPT_TOO_LONG: { exit: 2, meaning: 'The prompt is longer than the system allows for one argument of a program.' },
  CREDENTIALS_NOT_FOUND: { exit: 1, meaning: 'The home of the user holds no credentials of the engine.' },
  RUN_ENDED: { exit: 1, meaning: 'The run has ended and no longer accepts replies.' },
  SESSION_UNKNOWN: { exit: 1, meaning: 'The run has no engine session that could be resumed.' },
  IMPORT_FAILED: { exit: 1, meaning: 'A log to import cannot be read.' },
  PORT_UNAVAILABLE: { exit: 1, meaning: 'The address cannot be listened on.' },
  QUEUE_FULL: { exit: 1, meaning: 'The queue takes no more runs for now.' },
  REPLY_STALE: { exit: 1, meaning: 'The reply is to a question that is not open any more.' },
  IDEMPOTENCY_CONFLICT: { exit: 1, meaning: 'The same idempotency key came with another content before.' },
  RUN_NOT_LIVE: { exit: 1, meaning: 'The run has no live terminal.' },
  RUN_ACTIVE: { exit: 1, meaning: 'The run has not ended yet.' },
  APPROVAL_NOT_FOUND: { exit: 1, meaning: 'There is no such approval.' },
  INVALID_REQUEST: { exit: 2, meaning: 'A request does not follow its schema.' },
  UNAUTHORIZED: { exit: 1, meaning: 'The token is missing or wrong.' },
  FORBIDDEN: { exit: 1, meaning: 'The token, host or origin does not allow this.' },
  NOT_FOUND: { exit: 1, meaning: 'There is nothing at this address.' },
  BODY_TOO_LARGE: { exit: 1, meaning: 'The request is larger than the server takes.' },
  SERVER_UNREACHABLE: { exit: 1, meaning: 'The server does not answer.' },
  SERVER_RUNNING: { exit: 1, meaning: 'Another server already serves this data folder.' },
  INDEX_DAMAGED: { exit: 1, meaning: 'The index cannot be read; it can be rebuilt from the run folders.' },
  TERMINAL_FAILED: { exit: 1, meaning: 'The terminal could not be opened or drained.' },
  EXPORT_FAILED: { exit: 1, meaning: 'The export could not be written.' },
  SESSION_NOT_FOUND: { exit: 1, meaning: 'There is no terminal session with that id.' },
  SESSION_BUSY: { exit: 1, meaning: 'The session runs another command.' },
  SESSION_TERMINATED: { exit: 1, meaning: 'The session has ended.' },
  COMMAND_TIMEOUT: { exit: 1, meaning: 'The command did not end in its time.' },
  COMMAND_UNAVAILABLE: { exit: 127, meaning: 'The program of a session could not be started.' },
  INVALID_PARAMS: { exit: 2, meaning: 'The params of a call do not follow its schema.' },
  METHOD_NOT_FOUND: { exit: 2, meaning: 'The runtime has no such method.' },
  AUTH_FAILED: { exit: 1, meaning: 'The secret or token of the runtime is missing or wrong.' },
  MAX_SESSIONS_REACHED: { exit: 1, meaning: 'The runtime holds as many sessions as it may.' },
  SESSION_LIMIT_EXCEEDED: { exit: 1, meaning: 'The session went over one of its limits.' },
  RESOURCE_PRESSURE: { exit: 1, meaning: 'There is no capacity for this now; retry later.' },
  LIMIT_UNAVAILABLE: { exit: 1, meaning: 'A limit was asked for that cannot be given here.' },
  TARGET_UNREACHABLE: { exit: 1, meaning: 'A target of the runtime cannot be reached, or was lost.' },
  INTERNAL_ERROR: { exit: 1, meaning: 'A bug in the runtime.' },
  INTERNAL: { exit: 1, meaning: 'A bug in tacho.' },
} as const satisfies Record<string, { exit: number; meaning: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

interface TachoErrorOptions {
  /** Facts a program can use: paths, candidates, byte offsets. Never a secret. */
  facts?: Record<string, unknown>;
  /** What the person can do about it, as a sentence. */
  fix?: string;
  cause?: unknown;
}

/** The one error class: what can go wrong and is known carries a code; everything else is a bug. */
export class TachoError extends Error {
  readonly code: ErrorCode;
  readonly facts: Record<string, unknown>;
  readonly fix: string | undefined;

  constructor(code: ErrorCode, message: string, options: TachoErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'TachoError';
    this.code = code;
    this.facts = options.facts ?? {};
    this.fix = options.fix;
  }
}
