import type { CaptureMode, FcmpMessage, RunFiles, RunLimits } from '../../protocol/index.ts';
import type { TerminalControl } from '../attempt/run-pty-with-trace.ts';
import type { AgentRequest } from './agent-request.ts';

/** What somebody wants run. Already checked for form by whoever took it in. */
export interface RunRequest {
  engine: string;
  /** The command to record; for an engine, its program and nothing else: the arguments come from its profile. */
  command: readonly string[];
  agent: AgentRequest | null;
  /** The events already say that it is queued and what was said to it; only the start is left to tell. */
  announced: boolean;
  /** Limits over those of the configuration. */
  limits: RunLimits;
  /** The events are kept as a conversation too; an engine's always are. */
  conversation: boolean;
  /** The program's working folder and workspace; the run folder when not given. */
  cwd: string | null;
  /** Files the program finds in its working folder, which is the run folder then. */
  files?: RunFiles;
  /** A finished run to go on with, as one more attempt. */
  runSelector: string | null;
  env: Readonly<Record<string, string>>;
  /** Names to take over from the caller's environment. */
  passEnv: readonly string[];
  capture: CaptureMode;
  captureReason: string;
  keepTrace: boolean;
  cols: number;
  rows: number;
  /** A person types: what they type is echoed. */
  interactive: boolean;
  /** This process records nothing else, so every orphan it adopts belongs to this run. */
  exclusive: boolean;
}

/** Who wants to know or to act while the attempt lives. A watcher that throws is not heard again. */
export interface RunWatcher {
  prepared?(run: { runId: string; runDir: string; attempt: number }): void;
  started?(control: TerminalControl): void;
  recorded?(): void;
  /** What is new in the conversation, after it was kept. */
  conversed?(messages: readonly FcmpMessage[]): void;
}
