import type { Transport } from '@modelcontextprotocol/client';
import type { ToolErrorKind } from '../../protocol/index.ts';
import type { FloodGuard } from './flood-guard.ts';

/** Why a connection to a server is over; `kind` is that of the call that it costs. */
export interface Ending {
  kind: Extract<ToolErrorKind, 'unavailable' | 'too_large' | 'failed'>;
  message: string;
}

/** The longest message of a server, in bytes. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

export const TOO_LONG_MESSAGE: Ending = {
  kind: 'too_large',
  message: `it sent a message of more than ${MAX_MESSAGE_BYTES} bytes, so it was ended`,
};

export const FLOOD: Ending = { kind: 'failed', message: 'it sent messages without end, so it was ended' };

/** A way to a server, and what became of it. */
export interface ServerTransport {
  /** What the client uses. */
  readonly transport: Transport;
  readonly guard: FloodGuard;
  /** Why it is over; null as long as it is not. */
  readonly ending: Ending | null;
  /** What the server printed that may explain a failure; empty if there is nothing. */
  readonly lastWords: string;
  /** Resolves when nothing of the server is left. */
  close(): Promise<void>;
}
