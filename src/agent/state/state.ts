import type {
  AgentData,
  AssistantPart,
  Budgets,
  HumanAnswer,
  ModelError,
  PolicyRule,
  ToolApprovalAnswer,
  ToolResult,
  Usage,
} from '../../protocol/index.ts';
import type { PromptMessage } from '../models/model.ts';
import { DEFAULT_SETTINGS, type LoopSettings, NO_BUDGETS } from '../settings.ts';
import type { SourceSpec } from './source-specs.ts';

export type ToolCallPart = Extract<AssistantPart, { type: 'tool_call' }>;

/** One tool call of the current turn, from the request to the result. */
export interface CallState {
  part: ToolCallPart;
  requested: AgentData<'tool_call_requested'> | null;
  /** Arguments as a hook has changed them. */
  changed: { value: unknown } | null;
  approval: { id: string; digest: string; answer: ToolApprovalAnswer | null } | null;
  question: { id: string; answer: HumanAnswer | null } | null;
  started: boolean;
  result: ToolResult | null;
}

/** A message of the conversation, after the ones that a prompt begins with. */
export interface HistoryItem {
  message: PromptMessage;
  chars: number;
  /** What it came from: `task`, `step:3`, `tools:3`, … */
  source: string;
  /** Never left out. */
  pinned: boolean;
}

/** A path of the workspace at some time: what it was, and the key of its content in the vault. */
export interface FileVersion {
  /** Null if there was nothing, or if it is lost. */
  key: string | null;
  type: 'file' | 'link' | 'folder';
  mode?: number | undefined;
  /** Why it is unknown what was there. */
  lost?: string | undefined;
}

export type RunStatus = 'new' | 'running' | 'waiting' | 'closed' | 'completed' | 'failed' | 'cancelled';

/** What a run has come to: a fold over its events, and nothing else. */
export interface AgentState {
  runId: string;
  sessionId: string;
  status: RunStatus;
  /** Begun with the events of another run. */
  isFork: boolean;
  /** It works for another run, which shows it. */
  isChild: boolean;
  budgets: Budgets;
  settings: LoopSettings;
  /** Messages that every prompt begins with; null until the first prompt was compiled. */
  head: string[] | null;
  history: HistoryItem[];
  historyChars: number;
  /** How many messages of the conversation are in the digest of the last prompt; 0 after a trim. */
  digested: number;
  prefixDigest: string;
  queued: AgentData<'user_message'>[];
  step: number;
  /** A request to a model that has begun and not ended: how often it was tried. */
  request: { tries: number; isOpen: boolean; compacted: boolean } | null;
  /** The conversation did not fit: it has to be compacted before the next request. */
  overflow: ModelError | null;
  compactionQuestion: { id: string; answer: HumanAnswer | null } | null;
  /** Calls of the last response; empty if there were none. */
  turn: CallState[];
  /** The last response called no tool: the run completes unless there is more to say. */
  turnEnded: boolean;
  lastText: string;
  lastFinish: AgentData<'llm_response_completed'>['finish_reason'] | null;
  cutOff: number;
  usage: Usage;
  costUsd: number | null;
  /** Use by child agents. */
  children: Map<string, AgentData<'child_charged'>>;
  denials: Map<string, number>;
  sessionApprovals: Set<string>;
  addedRules: PolicyRule[];
  /** Tools of sources, by name. */
  sourceSpecs: Map<string, SourceSpec>;
  /** Sources that could not be opened by the last process. */
  missingSources: Set<string>;
  /** Fingerprints of calls with their results, for noticing that nothing changes. */
  seenCalls: Set<string>;
  idleSteps: number;
  repairs: number;
  approvals: number;
  questions: number;
  /** What this run has changed in its workspace, as it was afterwards. */
  files: Map<string, FileVersion>;
  workspace: string;
  cancel: string | null;
  /** Why the run is closed, or about to be; null again when it is resumed. */
  close: string | null;
  /** A message came that stops what is under way, and the model has not got it yet. */
  isInterrupted: boolean;
  exhausted: AgentData<'budget_exhausted'> | null;
  guard: AgentData<'guard_tripped'> | null;
  /** Milliseconds at work: time between a stop and a resume does not count. */
  activeMs: number;
  lastAt: number;
  end: EndData | null;
}

export type EndData =
  | { type: 'run_completed'; data: AgentData<'run_completed'> }
  | { type: 'run_failed'; data: AgentData<'run_failed'> }
  | { type: 'run_cancelled'; data: AgentData<'run_cancelled'> };

export function newState(runId: string): AgentState {
  return {
    runId,
    sessionId: '',
    status: 'new',
    isFork: false,
    isChild: false,
    budgets: NO_BUDGETS,
    settings: DEFAULT_SETTINGS,
    head: null,
    history: [],
    historyChars: 0,
    digested: 0,
    prefixDigest: '',
    queued: [],
    step: 0,
    request: null,
    overflow: null,
    compactionQuestion: null,
    turn: [],
    turnEnded: false,
    lastText: '',
    lastFinish: null,
    cutOff: 0,
    usage: {},
    costUsd: null,
    children: new Map(),
    denials: new Map(),
    sessionApprovals: new Set(),
    addedRules: [],
    sourceSpecs: new Map(),
    missingSources: new Set(),
    seenCalls: new Set(),
    idleSteps: 0,
    repairs: 0,
    approvals: 0,
    questions: 0,
    files: new Map(),
    workspace: '',
    cancel: null,
    close: null,
    isInterrupted: false,
    exhausted: null,
    guard: null,
    activeMs: 0,
    lastAt: 0,
    end: null,
  };
}

/** The question whether to compact is not asked by a call. */
export const COMPACTION_CALL = 'compaction';

/** Whether the turn has calls without a result. */
export function hasOpenCalls({ turn }: AgentState): boolean {
  return turn.some(({ result }) => result === null);
}
