import type { Approver } from '../../approvals/index.ts';
import type {
  AgentData,
  ChangedFile,
  HumanAnswer,
  HumanQuestion,
  PolicyRule,
  PolicyVerdict,
  ToolAction,
  ToolResult,
} from '../../protocol/index.ts';
import type { ExhaustedBudget, PreparedCall, RejectedCall, SpecText, Tool } from '../../tools/index.ts';
import type { Clock } from '../clock.ts';
import type { AgentModel, ModelTool } from '../models/model.ts';
import type { PromptPiece } from '../prompt/pieces.ts';
import type { SourceSpec } from '../state/source-specs.ts';
import type { AgentState } from '../state/state.ts';
import type { Emitter } from './emitter.ts';

export interface CallOutcome {
  result: ToolResult;
  files?: ChangedFile[] | undefined;
  incomplete?: string | undefined;
  artifact?: string | undefined;
}

/** The tools as the loop sees them: prepared by the real ones even in a replay, executed by the log there. */
export interface ToolBox {
  readonly specs: readonly ModelTool[];
  prepare(name: string, input: unknown): Promise<PreparedCall | RejectedCall>;
  /** Whether arguments as they arrive stay out of the log: the tool hides some of them. */
  hidesArguments(name: string): boolean;
  earlyActions(name: string, complete: Record<string, unknown>): { actions: ToolAction[]; hasEffects: boolean } | null;
  hasEarlyActions(name: string): boolean;
  /** Of a tool of a source: what its server has now, where it differs from what the model was given; else null. */
  changesOf(call: { id: string; tool: Tool }, signal: AbortSignal): Promise<SpecChanges | null>;
  execute(call: PermittedCall, signal: AbortSignal): Promise<CallOutcome>;
}

export type SpecChanges = NonNullable<AgentData<'tool_call_requested'>['changed']>;

/** A call that may run. */
export interface PermittedCall {
  id: string;
  /** Unique in the run, and the same when the call is repeated after a crash. */
  key: string;
  name: string;
  prepared: PreparedCall;
  /** Of a tool whose schema comes from elsewhere: what it was judged by. */
  spec: SpecText | null;
  /** A person, or a rule, has allowed it; it did not just fall under a default. */
  isAccepted: boolean;
}

/** A call with what the policy says; `failure` is its result if it cannot run. */
export type KnownCall =
  | {
      call: PreparedCall;
      verdict: PolicyVerdict;
      logged: unknown;
      spec: SpecText | null;
      changes: SpecChanges | null;
      failure?: undefined;
    }
  | { failure: ToolResult; logged: unknown };

/** What a hook wants: nothing, other arguments or another result, or that the call is refused. */
export type HookOutcome =
  | { hook: string; outcome: 'changed'; value: unknown; reason: string | null }
  | { hook: string; outcome: 'refused' | 'failed'; reason: string };

export interface HookRunner {
  readonly isEmpty: boolean;
  before(call: { id: string; name: string; input: unknown }, signal: AbortSignal): Promise<HookOutcome[]>;
  after(call: { id: string; name: string; result: ToolResult }, signal: AbortSignal): Promise<HookOutcome[]>;
}

/** Asks a person. `later`: the answer may come when this process is gone. */
export interface Asker {
  ask(question: HumanQuestion, signal: AbortSignal): Promise<HumanAnswer | 'later'>;
}

/**
 * Which effects may have begun. Marked after the intent is in the log and before the effect, so a process that died in
 * between leaves no doubt.
 */
export interface Intents {
  mark(callId: string): Promise<void>;
  isMarked(callId: string): boolean;
}

/** Limits of the agents that this run belongs to. */
export interface BudgetTree {
  /** Before a request to a model: what is used up beyond this run's own budgets, or null. */
  exhausted(state: AgentState): Promise<ExhaustedBudget | null>;
  /** The run has used something. */
  charge(state: AgentState): void;
}

/**
 * Everything outside of the loop, passed in: a replay passes the recorded world. After waiting for any of it, the loop
 * looks at `stop` before it emits another event: then the order of events alone says what happened, and a replay can
 * repeat it.
 */
export interface Effects {
  clock: Clock;
  random(): number;
  emitter: Emitter;
  model: AgentModel;
  planner: AgentModel;
  tools: ToolBox;
  judge(call: {
    callId: string;
    /** Its arguments are still arriving. */
    isEarly?: boolean;
    tool: string;
    actions: readonly ToolAction[];
    hasEffects: boolean;
    /** Its effects are judged in other runs. */
    delegates?: boolean;
    /** Of a tool of a source: what was accepted of it, and what it is now. */
    foreign?: { known: SourceSpec | undefined; now: SpecText };
    added: readonly PolicyRule[];
  }): PolicyVerdict;
  /** Keyed digest of tool, arguments, workspace and, of an untrusted tool, its spec: what an approval is for. */
  digestOf(tool: string, input: unknown, spec: SpecText | null): string;
  /** Keyed digest of a text, for contents that are not logged. */
  digest(text: string): string;
  /** Releases the part of a text that cannot be the beginning of a secret. */
  textStream(): { push(text: string): string; flush(): string };
  approver: Approver | null;
  asker: Asker | null;
  hooks: HookRunner;
  intents: Intents;
  /** Calls of the current turn that this process has prepared, by their ids. */
  prepared: Map<string, KnownCall>;
  compileHead(): Promise<PromptPiece[][]>;
  /** Violations of the output schema, or the value. */
  checkOutput: ((text: string) => Promise<{ value: unknown } | { violations: string[] }>) | null;
  outputSchema: { readonly [key: string]: unknown } | null;
  tree: BudgetTree | null;
  /** Aborts what is under way: the run is cancelled or closed, its time is up, or a message interrupts it. */
  readonly stop: AbortSignal;
  /** Makes another `stop` after an interruption. */
  renewStop(): void;
}
