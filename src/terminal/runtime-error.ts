import type { RuntimeErrorCode } from '../protocol/terminal-rpc.ts';

interface RuntimeErrorOptions {
  /** Facts a program can use. Never a value of the environment. */
  facts?: Record<string, unknown>;
  fix?: string;
  cause?: unknown;
}

/**
 * What the terminal runtime refuses, with its stable code. Of the shape of `TachoError`, and to become one as soon as its
 * codes stand in `ERROR_CODES`, which every table over all codes has to follow at the same moment.
 */
export class RuntimeError extends Error {
  readonly code: RuntimeErrorCode;
  readonly facts: Record<string, unknown>;
  readonly fix: string | undefined;

  constructor(code: RuntimeErrorCode, message: string, options: RuntimeErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RuntimeError';
    this.code = code;
    this.facts = options.facts ?? {};
    this.fix = options.fix;
  }
}
