/** Every way tacho can refuse, with the exit code of the command that met it. Codes are stable. */
export const EXIT_CODES = {
  USAGE: 2,
  UNKNOWN_COMMAND: 2,
  PLATFORM_UNSUPPORTED: 1,
  COMMAND_NOT_FOUND: 127,
  COMMAND_NOT_EXECUTABLE: 126,
  CWD_NOT_FOUND: 1,
  DATA_FOLDER_UNWRITABLE: 1,
  RUN_FOLDER_READ_ONLY: 1,
  DISK_FULL: 1,
  RECORDING_FAILED: 1,
  RECORD_TOUCHED: 1,
  RUN_NOT_FOUND: 1,
  RUN_AMBIGUOUS: 1,
  RUN_LOCKED: 1,
  RUN_RECORD_CORRUPT: 1,
  ATTEMPT_NOT_FOUND: 1,
  FORMAT_TOO_NEW: 1,
  JOURNAL_DAMAGED: 1,
  JOURNAL_FENCED: 1,
  VERIFY_FAILED: 1,
  RECORD_INCOMPLETE: 1,
  ALREADY_SEALED: 1,
  NOT_BEGUN_HERE: 1,
  LEDGER_DAMAGED: 1,
  LEDGER_LOCKED: 1,
  TRACE_UNAVAILABLE: 1,
  ISOLATION_BROKEN: 1,
  CONFIG_INVALID: 2,
  CONFIG_UNKNOWN_KEY: 2,
  TRUST_NEEDS_TERMINAL: 2,
  TRUST_MISMATCH: 1,
  TRUST_REFUSED: 1,
  UNKNOWN_ENGINE: 2,
  ENGINE_NOT_INSTALLED: 127,
  ENGINE_UNSUPPORTED: 1,
  ENGINE_INSTALL_FAILED: 1,
  ENGINE_BUSY: 1,
  PROMPT_INVALID: 2,
  PROMPT_TOO_LONG: 2,
  CREDENTIALS_NOT_FOUND: 1,
  CREDENTIALS_MISSING: 1,
  SIGN_IN_FAILED: 1,
  RUN_ENDED: 1,
  SESSION_UNKNOWN: 1,
  IMPORT_FAILED: 1,
  IMPORT_FORMAT_UNKNOWN: 1,
  PORT_UNAVAILABLE: 1,
  QUEUE_FULL: 1,
  REPLY_STALE: 1,
  IDEMPOTENCY_CONFLICT: 1,
  RUN_NOT_LIVE: 1,
  RUN_ACTIVE: 1,
  APPROVAL_NOT_FOUND: 1,
  INVALID_REQUEST: 2,
  UNAUTHORIZED: 1,
  FORBIDDEN: 1,
  NOT_FOUND: 1,
  BODY_TOO_LARGE: 1,
  SERVER_UNREACHABLE: 1,
  SERVER_RUNNING: 1,
  WATCH_RUNNING: 1,
  SESSION_RECORDED: 1,
  INDEX_DAMAGED: 1,
  TERMINAL_FAILED: 1,
  EXPORT_FAILED: 1,
  PATCH_INCOMPLETE: 3,
  SKILL_UNKNOWN: 1,
  SKILL_AMBIGUOUS: 1,
  SKILL_MENTION_INVALID: 2,
  SKILL_SPACE_NOT_CONFIGURED: 1,
  SKILL_DUPLICATE_NAME: 1,
  SKILL_SOURCE_UNAVAILABLE: 1,
  SKILL_SOURCE_TOO_LARGE: 1,
  SKILL_NOT_TRUSTED: 1,
  SKILL_ENV_MISSING: 1,
  SKILL_BODY_TOO_LARGE: 1,
  SKILL_BUDGET_EXCEEDED: 1,
  SKILL_FRONTMATTER_INVALID: 1,
  SKILL_FRONTMATTER_TOO_LARGE: 1,
  SKILL_FIELD_MISSING: 1,
  SKILL_FIELD_INVALID: 1,
  SKILL_NAME_MISMATCH: 1,
  SKILL_MANIFEST_INVALID: 1,
  SKILL_SCHEMA_INVALID: 1,
  SKILL_PACKAGE_INVALID: 1,
  SKILL_PACKAGE_TOO_LARGE: 1,
  SKILL_PATH_UNSAFE: 1,
  SKILL_LINK_OUTSIDE: 1,
  SKILL_BUNDLE_MISMATCH: 1,
  SKILL_EXISTS: 1,
  SKILL_TEXT_INVALID: 1,
  SESSION_NOT_FOUND: 1,
  SESSION_BUSY: 1,
  SESSION_TERMINATED: 1,
  COMMAND_TIMEOUT: 1,
  COMMAND_UNAVAILABLE: 127,
  INVALID_PARAMS: 2,
  METHOD_NOT_FOUND: 2,
  AUTH_FAILED: 1,
  MAX_SESSIONS_REACHED: 1,
  SESSION_LIMIT_EXCEEDED: 1,
  RESOURCE_PRESSURE: 1,
  LIMIT_UNAVAILABLE: 1,
  TARGET_UNREACHABLE: 1,
  INTERNAL_ERROR: 1,
  INTERNAL: 1,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof EXIT_CODES;

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
