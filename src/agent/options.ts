import type { Approver, Policy } from '../approvals/index.ts';
import type { AgentEvent, Budgets } from '../protocol/index.ts';
import type { SkillLibrary } from '../skills/index.ts';
import type { OpenCommandsOptions, OpenedCommands } from '../tools/commands/index.ts';
import type { JsonSchema, RuntimeParts, StandardInput, Tool, ToolLimits, ToolSource } from '../tools/index.ts';
import type { Clock } from './clock.ts';
import type { KeepLimits } from './fork/keep-entry.ts';
import type { Asker } from './loop/effects.ts';
import type { AgentModel } from './models/model.ts';
import type { PromptOptions } from './prompt/head.ts';
import type { ToolHooks } from './run/hooks.ts';
import type { LoopSettings } from './settings.ts';
import type { WalHook } from './wal/index.ts';

/** A value that appears in no log, event or error, whatever prints it. */
export interface Secret {
  /** Shown in its place. */
  name: string;
  value: string;
}

/** Everything an agent uses. Nothing is read that is not passed in: no files, no environment. */
export interface AgentOptions<Output = string> {
  /** The folder it works in; the log of each run is below `.tacho/runs`. */
  workspaceRoot: string;
  /** Works on the task. */
  model: AgentModel;
  /** Summarizes the conversation when it has become too long; `model` by default. */
  planner?: AgentModel | undefined;
  /** All built-in tools by default. */
  // biome-ignore lint/suspicious/noExplicitAny: tools of different inputs stand beside each other
  tools?: readonly Tool<any>[] | undefined;
  /** Of these tools, those that the model gets; all of them by default. */
  toolNames?: readonly string[] | undefined;
  /**
   * Where further tools come from, such as `mcpServer(…)`. They are opened when a run begins or is resumed, and closed
   * when it has ended or waits. One that cannot be opened costs the run its tools, and nothing else.
   */
  toolSources?: readonly ToolSource[] | undefined;
  /** What may run, by `createPolicy`; by default reads and provably safe commands, everything else is asked about. */
  policy?: Policy | undefined;
  /**
   * Who decides what the policy asks. Without one, a call that has to be asked about ends the run. `later`: the run ends
   * waiting; any process decides with `decideApproval`, and the run is resumed.
   */
  approvals?: Approver | 'later' | undefined;
  /** Who answers the questions of tools. `later`: any process, with `answerQuestion`. */
  human?: Asker | 'later' | undefined;
  /** Skills that the prompt lists, and those that the task mentions; see `tachograph/skills`. */
  skills?: SkillLibrary | undefined;
  /** The texts that every prompt begins with. */
  prompt?: PromptOptions | undefined;
  /** Schema of the final answer: zod, another Standard Schema, or JSON Schema. */
  output?: StandardInput<Output> | JsonSchema | undefined;
  /** Limits of a run and its child agents; 200 steps by default. Null means no limit. */
  budgets?: Partial<Budgets> | undefined;
  /** Retries, history limits, guards and prices. */
  settings?: Partial<LoopSettings> | undefined;
  /** What commands can reach; the profile `balanced` by default. */
  sandbox?: OpenedCommands | Omit<OpenCommandsOptions, 'workspaceRoot'> | undefined;
  /** How much of the workspace is kept around commands, so that forks have the files of any event. */
  keep?: Partial<KeepLimits> | undefined;
  /** Of tool calls: the timeout of a command that sets none, and how much of an output the conversation gets. */
  limits?: ToolLimits | undefined;
  /** Variables of commands; they inherit none from this process. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Values that must not appear in logs, events and errors. The model still gets the real text. */
  secrets?: readonly Secret[] | undefined;
  /** Functions that see every tool call and its result, and may change or refuse it. */
  hooks?: ToolHooks | undefined;
  /** Called after an event is in the log. One that fails or hangs changes nothing. */
  onEvent?: ((event: AgentEvent) => unknown) | undefined;
  /** Terminals and child agents that outlive a call. */
  runtime?: RuntimeParts | undefined;
  /**
   * Makes runs known to the data folder of a tacho installation (`~/.tacho`): its server then shows them in the Studio,
   * and people can decide there what they ask. Never done unless it is set; null in `override` of `agentFromConfig`
   * leaves them out.
   */
  register?: { dataFolder: string } | null | undefined;
  /** Approvals for a session count for agents with the same id; a new one by default. */
  sessionId?: string | undefined;
  /** The time; that of the system by default. */
  clock?: Clock | undefined;
  /** Numbers from 0 to 1, for the delays of retries. */
  random?: (() => number) | undefined;
  /** Makes the ids of runs and sessions. */
  newId?: (() => string) | undefined;
  /** Like `onEvent`, with all events of a write at once and the path of the log. */
  logHooks?: readonly WalHook[] | undefined;
}
