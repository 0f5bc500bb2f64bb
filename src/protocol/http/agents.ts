import * as z from 'zod';
import { FINISH_REASONS } from '../agent/agent-event.ts';
import { budgetsSchema } from '../agent/budgets.ts';
import { approvalDecisionSchema, humanQuestionSchema, policyDecisionSchema } from '../agent/decision.ts';
import { MAX_ARGUMENT_BYTES } from '../argument-size.ts';
import { text } from '../run/run-limits.ts';
import { usageSchema } from '../usage.ts';

/**
 * What the log of an agent says, for runs of the engine `agent`. All texts are as in the log, so without secrets. Numbers
 * of events are those of the agent’s log, not of the run.
 */

const seq = z.int().min(1);

/** How far an agent has come. */
export const agentStatusSchema = z.enum([
  'new',
  'running',
  'waiting',
  'completed',
  'failed',
  'cancelled',
  'closed',
  'interrupted',
]);
export type AgentStatus = z.infer<typeof agentStatusSchema>;

const useSchema = z.strictObject({
  steps: z.int().min(0),
  tokens: z.number().min(0),
  cost_usd: z.number().nullable().describe('Null if no model has a price.'),
});
export type AgentUse = z.infer<typeof useSchema>;

const callSchema = z.strictObject({
  call_id: z.string(),
  name: z.string(),
  arguments: z.string().describe('As JSON; its beginning if it is long.'),
  seq: seq.nullable().describe('Its `tool_call_requested`; null while there is none.'),
  verdict: z
    .strictObject({ decision: policyDecisionSchema, reason: z.string(), rule: z.int().nullable() })
    .nullable()
    .describe('The verdict of the policy; null if it was not asked.'),
  approval_id: z.string().nullable(),
  decision: approvalDecisionSchema.nullable(),
  question_id: z.string().nullable(),
  started_at: z.iso.datetime().nullable(),
  ended_at: z.iso.datetime().nullable(),
  finished_seq: seq.nullable(),
  ok: z.boolean().nullable().describe('Null while there is no result.'),
  error_kind: z.string().nullable(),
  exit_code: z.int().nullable(),
  duration_ms: z.number().nullable(),
  files: z.int().min(0).describe('Number of files that it changed.'),
  child: z.string().nullable().describe('Run id of the child agent that it started.'),
});
export type AgentCall = z.infer<typeof callSchema>;

const stepSchema = z.strictObject({
  step: z.int().min(1),
  model: z.string(),
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime().describe('Of its last event so far.'),
  first_seq: seq,
  last_seq: seq,
  tries: z.int().min(0).describe('Requests that were sent.'),
  finish_reason: z.enum(FINISH_REASONS).nullable().describe('Null while there is no response.'),
  text: z.string().describe('The beginning of what the model said.'),
  usage: usageSchema.nullable(),
  cost_usd: z.number().nullable(),
  prompt: z.strictObject({
    messages: z.int().min(0),
    chars: z.int().min(0),
    sources: z.array(z.string()).describe('Sources of the messages that were new, each once; the first 50.'),
  }),
  note: z.enum(['trimmed', 'compacted']).nullable().describe('Whether older messages left the prompt before it.'),
  calls: z.array(callSchema),
});
export type AgentStep = z.infer<typeof stepSchema>;

const approvalSchema = z.strictObject({
  approval_id: z.string(),
  agent: z.string().describe('Run id of the agent that asked.'),
  call_id: z.string(),
  tool: z.string(),
  summary: z.string(),
  reason: z.string(),
  step: z.int().min(0),
  seq,
  requested_at: z.iso.datetime(),
  decision: approvalDecisionSchema.nullable().describe('Null while it is pending.'),
  decided_at: z.iso.datetime().nullable(),
  decided_reason: z.string().nullable(),
  by: z.string().nullable(),
});
export type AgentApproval = z.infer<typeof approvalSchema>;

const questionSchema = z.strictObject({
  question_id: z.string(),
  agent: z.string(),
  call_id: z.string(),
  questions: humanQuestionSchema.shape.questions,
  step: z.int().min(0),
  seq,
  asked_at: z.iso.datetime(),
  answers: z.record(z.string(), z.string()).nullable().describe('By the ids of the questions; null while it is open.'),
  answered_at: z.iso.datetime().nullable(),
  by: z.string().nullable(),
});
export type AgentQuestion = z.infer<typeof questionSchema>;

const childShape = {
  run_id: z.string(),
  task: z.string().describe('Its beginning.'),
  status: agentStatusSchema,
  steps: z.int().min(0),
  use: useSchema.describe('With its own children.'),
  call_id: z.string().describe('The call of its parent that started it.'),
  started_at: z.iso.datetime().nullable(),
  updated_at: z.iso.datetime().nullable(),
};
/** A child agent, with its own children. */
export interface AgentChild extends z.infer<z.ZodObject<typeof childShape>> {
  children: AgentChild[];
}
export const agentChildSchema: z.ZodType<AgentChild> = z.lazy(() =>
  z.strictObject({ ...childShape, children: z.array(agentChildSchema) }),
);

const problemSchema = z.strictObject({
  message: z.string(),
  line: z.int().min(1).nullable().describe('Line of the log; null if it is not about one.'),
});

/** `GET /v1/runs/:id/agent` */
export const agentAnswerSchema = z.strictObject({
  run_id: z.string().describe('The id of the agent’s own run.'),
  workspace: z.string(),
  locator: z.string().describe('Path of its log.'),
  status: agentStatusSchema,
  held: z.boolean().describe('Whether a process has the run open.'),
  result: z
    .strictObject({ reason: z.string().nullable(), text: z.string() })
    .nullable()
    .describe('How it ended: the answer, or the reason and a message. Null while it has not.'),
  task: z.string(),
  model: z.string(),
  started_at: z.iso.datetime().nullable(),
  updated_at: z.iso.datetime().nullable(),
  last_seq: z.int().min(0),
  parent: z.strictObject({ run_id: z.string(), call_id: z.string() }).nullable(),
  forked_from: z.strictObject({ run_id: z.string(), seq, locator: z.string() }).nullable(),
  forks: z
    .array(z.strictObject({ run_id: z.string(), seq, workspace: z.string() }))
    .describe('Known runs that were forked from it.'),
  resumed: z.int().min(0).describe('How often another process continued it.'),
  plan: z
    .strictObject({
      items: z.array(z.strictObject({ step: z.string(), status: z.string() })),
      explanation: z.string().nullable(),
      seq,
      updated_at: z.iso.datetime(),
    })
    .nullable(),
  budgets: budgetsSchema,
  exhausted: z
    .strictObject({ budget: z.string(), scope: z.enum(['run', 'tree']), limit: z.number(), used: z.number() })
    .nullable(),
  use: z.strictObject({
    own: useSchema,
    children: useSchema,
    tree: useSchema.describe('Both; the budgets limit this.'),
    active_ms: z.number().min(0).describe('Time at work; time between a stop and a resume does not count.'),
    usage: usageSchema.describe('Tokens of its own requests, by kind.'),
  }),
  steps: z.array(stepSchema).describe('By number; ask again with `after_step`.'),
  next_step: z.int().min(1).nullable().describe('`after_step` for the rest; null if there is none.'),
  total_steps: z.int().min(0),
  approvals: z.array(approvalSchema).describe('The newest, with all that are pending.'),
  total_approvals: z.int().min(0),
  questions: z.array(questionSchema).describe('The newest, with all that are open.'),
  total_questions: z.int().min(0),
  children: z.array(agentChildSchema),
  problems: z.array(problemSchema).describe('Damage of the log; the answer covers the events before it.'),
});
export type AgentAnswer = z.infer<typeof agentAnswerSchema>;

const promptPieceSchema = z.strictObject({
  source: z.string().describe('For example template:coding, config:prompt.developer, task, step:3, tools:3.'),
  from: z.int().min(0).describe('In UTF-16 units of the message that the model got.'),
  to: z.int().min(0),
  digest: z.string().nullable().describe('Keyed digest of the piece.'),
});
export type AgentPromptPiece = z.infer<typeof promptPieceSchema>;

const promptPartSchema = z.strictObject({
  kind: z.enum(['text', 'reasoning', 'tool_call', 'tool_result']),
  name: z.string().nullable().describe('Of the tool.'),
  call_id: z.string().nullable(),
  text: z.string(),
  chars: z.int().min(0).describe('Of all of it: `text` may be its beginning.'),
});
export type AgentPromptPart = z.infer<typeof promptPartSchema>;

/** `GET /v1/runs/:id/agent/prompt` */
export const agentPromptSchema = z.strictObject({
  run_id: z.string(),
  step: z.int().min(1),
  total_messages: z.int().min(0),
  chars: z.int().min(0),
  messages: z.array(
    z.strictObject({
      index: z.int().min(0),
      role: z.enum(['system', 'user', 'assistant', 'tool']),
      seq: seq.describe('The event that has the text.'),
      pieces: z.array(promptPieceSchema),
      is_exact: z
        .boolean()
        .describe('Whether offsets of pieces fit the text; not where a secret was masked, or the text is not whole.'),
      parts: z.array(promptPartSchema),
    }),
  ),
  next_message: z.int().min(0).nullable().describe('`after_message` for the rest; null if there is none.'),
});
export type AgentPrompt = z.infer<typeof agentPromptSchema>;

/** `POST /v1/runs/:id/agent/replay` */
export const agentReplaySchema = z.strictObject({
  run_id: z.string(),
  identical: z.boolean(),
  events: z.int().min(0).describe('How many were the same.'),
  divergence: z
    .strictObject({
      seq,
      path: z.string(),
      expected: z.string().describe('The value in the log, as JSON; its beginning if it is long.'),
      actual: z.string(),
      message: z.string(),
    })
    .nullable(),
  missing_tools: z
    .array(z.string())
    .describe('Tools that the run had and the configuration has not: calls of them differ.'),
});
export type AgentReplay = z.infer<typeof agentReplaySchema>;

/** The run of an agent within its tree; without it, the one that the run itself is. */
export const agentChoice = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/)
  .optional()
  .describe('Run id of a child agent of the run.');

/** `POST /v1/runs/:id/agent/fork` */
export const forkAgentSchema = z.strictObject({
  at: seq.describe('The last event that both have in common.'),
  message: text(MAX_ARGUMENT_BYTES - 100)
    .refine((value) => value.trim() !== '', 'is empty')
    .optional()
    .describe('A message of the user that follows.'),
  into: text(4096)
    .regex(/^\//, 'an absolute path')
    .optional()
    .describe('A new or empty folder outside of the workspace; one beside the workspace when not given.'),
  resume: z.boolean().default(false).describe('Continue it as a run of the engine `agent`.'),
  agent: agentChoice,
});

export const agentForkSchema = z.strictObject({
  run_id: z.string().describe('The id of the agent’s new run.'),
  workspace: z.string(),
  locator: z.string(),
  restored: z.int().min(0).describe('How many files were set to what they were at that event.'),
  not_restored: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
  command: z.array(z.string()).describe('The command line that continues it.'),
  run: z.string().nullable().describe('The run that continues it, if it was asked for.'),
});
export type AgentFork = z.infer<typeof agentForkSchema>;
