import { type Budgets, TachoError } from '../../protocol/index.ts';
import type { AgentUse, ChildUse, ExhaustedBudget } from '../../tools/index.ts';

/** What a child is, whatever is done with it: the part of its spawn that counts again when it is resumed. */
export interface ChildKind {
  /** Names of its tools; null: all that its configuration has. */
  tools: readonly string[] | null;
  /** Null: that of its configuration. */
  model: string | null;
}

export interface ParentLink {
  runId: string;
  callId: string;
  /** Absolute path of its log. */
  walLocator: string;
}

/** What to do with a run. */
export interface ChildOrder<Setup = unknown> extends ChildKind {
  runId: string;
  how:
    | { kind: 'start'; task: string; parent: ParentLink | null }
    | { kind: 'resume' }
    /** Opens the run only to close it: its calls get results, and it waits for nothing any more. */
    | { kind: 'close'; reason: string };
  /** What else the starter needs, as it came with the request. It may hold secrets, and is never stored. */
  setup: Setup;
}

/** What a child asks and reports while it runs. */
export interface ChildHost {
  /** Before a request to a model: null, or the budget of the tree that is used up. */
  reserve(own: AgentUse, step: { isNew: boolean }): Promise<ExhaustedBudget | null>;
  used(own: AgentUse): void;
}

/** A child that runs. */
export interface RunningChild {
  readonly budgets: Budgets;
  /** Nothing of it is left running. How it ended is in its log. */
  readonly ended: Promise<void>;
  /** Resolves when the message is in its log; rejects if it ended before. */
  send(message: { text: string; interrupt: boolean }): Promise<void>;
  close(reason: string): void;
  /** Counts what one of its own children has used. */
  charge(use: ChildUse): void;
}

/** A way to run children. */
export interface ChildStarter<Setup = unknown> {
  /** Resolves when the log of the run has its first events. Rejects if it cannot begin; with DiedEarly if it is unknown why. */
  start(order: ChildOrder<Setup>, host: ChildHost): Promise<RunningChild>;
}

/** The process of a child ended without a word. Its run may have begun. */
export class DiedEarly extends TachoError {
  constructor(runId: string, output: string) {
    const said = output.trim() === '' ? '' : `: ${output.trim()}`;
    super('AGENT_NOT_RUNNING', `the process of the agent "${runId}" ended before the agent had begun${said}`, {
      facts: { agent_id: runId },
      fix: 'Try it again.',
    });
  }
}
