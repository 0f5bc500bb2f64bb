import type { ToolErrorKind, ToolResult } from '../protocol/index.ts';

interface ToolFailureOptions {
  /** Facts that a program can use. */
  data?: ToolResult['data'];
  retryable?: boolean;
  cause?: unknown;
}

/** Thrown by a tool: its call fails with this kind and message. Any other error is `failed`. */
export class ToolFailure extends Error {
  readonly kind: ToolErrorKind;
  readonly data: ToolResult['data'];
  readonly retryable: boolean;

  /** The message is for the model: what failed, and what to do about it. */
  constructor(
    kind: ToolErrorKind,
    message: string,
    { data = null, retryable = false, cause }: ToolFailureOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ToolFailure';
    this.kind = kind;
    this.data = data;
    this.retryable = retryable;
  }
}
