import type {
  AgentAnswer,
  AgentFork,
  AgentPrompt,
  AgentReplay,
  Approval,
  Decision,
  EngineFacts,
  FcmpMessage,
  FsDiff,
  Health,
  LinesAnswer,
  Meta,
  RaspEvent,
  RawStream,
  Reply,
  ReplyAnswer,
  RunChange,
  RunPage,
  RunResult,
  RunView,
  SearchAnswer,
} from '../protocol/index.ts';
import type { Page, SinceAnswer, TimingAnswer, VerificationAnswer } from './answers.ts';
import type { FollowOptions } from './follow.ts';
import type { FollowRunsOptions } from './follow-runs.ts';
import type { RawPart } from './read-raw.ts';
import type {
  AgentPromptQuery,
  AgentQuery,
  ByteWindow,
  HistoryRange,
  InputOptions,
  LinesQuery,
  NewFork,
  NewRun,
  RunQuery,
  SearchQuery,
  SkillQuery,
  StartOptions,
  TimingQuery,
} from './requests.ts';
import type { SkillAnswer, SkillsAnswer } from './skill-answers.ts';
import type { TerminalsClient } from './terminals-client.ts';
import type { RequestOptions } from './transport.ts';

/**
 * A tacho server. Runs are named by their id or handle. Every failure is a TachoError: with the server's own code, or
 * SERVER_UNREACHABLE. An aborted request throws the signal's reason.
 */
export interface Client {
  /** Safe to retry with a key; throws IDEMPOTENCY_CONFLICT when the key was used for a different run. */
  createRun(run: NewRun, options?: StartOptions): Promise<RunView>;
  /** One page, the newest runs first. */
  listRuns(query?: RunQuery, options?: RequestOptions): Promise<RunPage>;
  /** All pages, run by run. */
  eachRun(query?: RunQuery, options?: RequestOptions): AsyncIterable<RunView>;
  getRun(run: string, options?: RequestOptions): Promise<RunView>;
  deleteRun(run: string, options?: RequestOptions): Promise<void>;

  events(run: string, range?: HistoryRange, options?: RequestOptions): Promise<Page<RaspEvent>>;
  conversation(run: string, range?: HistoryRange, options?: RequestOptions): Promise<Page<FcmpMessage>>;
  /** Events after the cursor, then live ones, across lost connections; ends with the run, or on abort. */
  followEvents(run: string, options?: FollowOptions): AsyncIterable<RaspEvent>;
  followConversation(run: string, options?: FollowOptions): AsyncIterable<FcmpMessage>;
  followRuns(options?: FollowRunsOptions): AsyncIterable<RunChange>;

  raw(
    run: string,
    stream: RawStream,
    attempt: number,
    bytes?: ByteWindow,
    options?: RequestOptions,
  ): Promise<Uint8Array>;
  /** The same, with the size of the whole stream. */
  rawPart(
    run: string,
    stream: RawStream,
    attempt: number,
    bytes?: ByteWindow,
    options?: RequestOptions,
  ): Promise<RawPart>;
  searchRaw(
    run: string,
    stream: RawStream,
    attempt: number,
    query: SearchQuery,
    options?: RequestOptions,
  ): Promise<SearchAnswer>;
  /** The lines around a byte, with their numbers. */
  lines(
    run: string,
    stream: RawStream,
    attempt: number,
    query: LinesQuery,
    options?: RequestOptions,
  ): Promise<LinesAnswer>;
  /** The times at which bytes were read. */
  timing(run: string, attempt: number, query?: TimingQuery, options?: RequestOptions): Promise<TimingAnswer>;

  /** The facts of an attempt; throws RUN_ACTIVE until it has ended. */
  attempt(run: string, attempt: number, options?: RequestOptions): Promise<Meta>;
  /** Changes to the workspace (default: in the last attempt). */
  files(run: string, query?: { attempt?: number | undefined }, options?: RequestOptions): Promise<FsDiff>;
  fileContent(run: string, sha256: string, options?: RequestOptions): Promise<Uint8Array>;
  /** The result of the run; throws RUN_ACTIVE until it has ended. */
  result(run: string, options?: RequestOptions): Promise<RunResult>;
  /** The content of an artifact, by its path in the result. */
  artifact(run: string, path: string, options?: RequestOptions): Promise<Uint8Array>;
  /** A readable transcript in Markdown (default: of all attempts). */
  transcript(run: string, query?: { attempt?: number | undefined }, options?: RequestOptions): Promise<string>;
  /** The whole record as a zip file. */
  bundle(run: string, options?: RequestOptions): Promise<ReadableStream<Uint8Array>>;
  verify(run: string, options?: RequestOptions): Promise<VerificationAnswer>;
  /** The ledger head: one line that covers all seals so far. */
  ledgerHead(options?: RequestOptions): Promise<string>;
  /** Checks all sealed runs against an earlier `ledgerHead`. */
  verifySince(head: string, options?: RequestOptions & { deep?: boolean }): Promise<SinceAnswer>;

  /** Throws REPLY_STALE when the question is no longer open, RUN_ENDED when the run has ended. */
  reply(run: string, reply: Reply, options?: RequestOptions): Promise<ReplyAnswer>;
  cancel(run: string, options?: RequestOptions): Promise<RunView>;
  /** Types into the live terminal; with `piped`, sends the program's standard input, and with `end` closes it. */
  input(run: string, keys: string | Uint8Array, options?: InputOptions): Promise<void>;
  resize(run: string, size: { cols: number; rows: number }, options?: RequestOptions): Promise<void>;

  approvals(query?: { status?: Approval['status'] | undefined }, options?: RequestOptions): Promise<Approval[]>;
  /** The first decision counts, and every caller gets it. */
  decide(approval: string, decision: Decision, options?: RequestOptions): Promise<Approval>;

  /** What the log of a run's agent says: status, steps, plan, budgets, decisions, child agents. One page of steps. */
  agent(run: string, query?: AgentQuery, options?: RequestOptions): Promise<AgentAnswer>;
  /** The prompt of a step, and where each part of it came from. One page of messages. */
  agentPrompt(run: string, query?: AgentPromptQuery, options?: RequestOptions): Promise<AgentPrompt>;
  /** Runs the log of an agent through the loop again, with today's policy and tools, and compares. */
  replayAgent(run: string, query?: { agent?: string | undefined }, options?: RequestOptions): Promise<AgentReplay>;
  /** Begins a new run of an agent at any event of this one, in a folder of its own. */
  forkAgent(run: string, fork: NewFork, options?: RequestOptions): Promise<AgentFork>;

  /** Sessions of the terminal runtime. */
  terminals: TerminalsClient;

  engines(options?: RequestOptions): Promise<EngineFacts[]>;
  /** One page of the skills that runs can use, by namespace and name, and what is wrong with others. */
  skills(query?: SkillQuery, options?: RequestOptions): Promise<SkillsAnswer>;
  /** One skill by its name or mention, with its text, files, schemas and what a check finds. */
  skill(skill: string, options?: RequestOptions): Promise<SkillAnswer>;
  health(options?: RequestOptions): Promise<Health>;
}
