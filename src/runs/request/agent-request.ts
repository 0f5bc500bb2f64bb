import type { RunMode } from '../../protocol/index.ts';

/** What somebody wants an engine to do. */
export interface AgentRequest {
  prompt: string;
  mode: RunMode;
  model: string | null;
  /** A model server that speaks the engine's protocol. */
  baseUrl: string | null;
  engineArguments: readonly string[];
  /** The work counts as done only with a done marker. */
  requireMarker: boolean;
  format: string | null;
  authFromHome: boolean;
  /** False takes the engine's output as that of any command. */
  parse: boolean;
  /** The engine session to go on with; null begins a new one. */
  session: string | null;
  /** Which question the prompt answers; null when it answers none. */
  interactionId: string | null;
}
