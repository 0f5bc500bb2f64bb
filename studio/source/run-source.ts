import type {
  AgentAnswer,
  AgentFork,
  AgentPrompt,
  AgentPromptQuery,
  AgentQuery,
  AgentReplay,
  LinesAnswer,
  NewFork,
  RawPart,
  RunResult,
  SearchAnswer,
  TimingAnswer,
  VerificationAnswer,
} from '../../src/client/index.ts';
import type { FcmpMessage, FsDiff, Meta, RaspEvent, RawStream, RunView } from '../../src/protocol/index.ts';

/** Callbacks for the stream of a run. */
export interface FollowHandlers {
  /** Everything up to `head` is history. Called again after a lost connection. */
  onOpened(head: number): void;
  onEvents(events: RaspEvent[]): void;
  onMessages(messages: FcmpMessage[]): void;
  onRetry(error: Error, delayMs: number): void;
}

/** What a run with a skill has brought about. */
export interface SkillResult
  extends Pick<
    RunResult,
    'payload' | 'payload_from' | 'validity' | 'artifacts' | 'skipped_artifacts' | 'repair_attempt'
  > {
  completion: { state: string; reason_code: string } | null;
}

/** The log of a run's agent, on the server. */
export interface AgentSource {
  facts(query: AgentQuery, signal?: AbortSignal): Promise<AgentAnswer>;
  prompt(query: AgentPromptQuery, signal?: AbortSignal): Promise<AgentPrompt>;
  /** Of a child agent, or of the agent of the run itself. */
  replay(agent: string | undefined, signal?: AbortSignal): Promise<AgentReplay>;
  fork(fork: NewFork): Promise<AgentFork>;
}

/** The source of a run: a server, or an archive that was dropped on the page. Panes read a run only through this. */
export interface RunSource {
  /** Whether the run can be answered, stopped or verified. */
  readonly kind: 'server' | 'archive';
  run(signal?: AbortSignal): Promise<RunView>;
  /** All events and messages from the first one, then live ones; ends with the run. */
  follow(handlers: FollowHandlers, signal: AbortSignal): Promise<void>;
  raw(stream: RawStream, attempt: number, window: { from: number; to: number }, signal?: AbortSignal): Promise<RawPart>;
  searchRaw(stream: RawStream, attempt: number, q: string, from: number, signal?: AbortSignal): Promise<SearchAnswer>;
  lines(stream: RawStream, attempt: number, around: number, signal?: AbortSignal): Promise<LinesAnswer>;
  /** Chunks starting with this number; at most 10,000. */
  timing(attempt: number, cursor: number, signal?: AbortSignal): Promise<TimingAnswer>;
  attempt(attempt: number, signal?: AbortSignal): Promise<Meta>;
  files(attempt: number, signal?: AbortSignal): Promise<FsDiff>;
  fileContent(sha256: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** The result of a run with a skill that has ended; `attempt` is its last one. */
  result(attempt: number, signal?: AbortSignal): Promise<SkillResult>;
  artifact(artifact: SkillResult['artifacts'][number]): Promise<Uint8Array>;
  /** Readable Markdown; an archive creates it from these events. */
  transcript(events: readonly RaspEvent[]): Promise<string[]>;
  verify(signal?: AbortSignal): Promise<VerificationAnswer>;
  /** Null for an archive: the log of an agent stays in its workspace. */
  readonly agent: AgentSource | null;
}
