import * as z from 'zod';
import { usageSchema } from '../usage.ts';
import type { AGENT_VERSION } from './agent-version.ts';
import { BUDGETS, budgetsSchema } from './budgets.ts';
import {
  humanAnswerSchema,
  humanQuestionSchema,
  policyVerdictSchema,
  toolApprovalAnswerSchema,
  toolApprovalRequestSchema,
} from './decision.ts';
import { toolResultSchema } from './tool.ts';

/**
 * The events of an agent run: one line each in `events.jsonl`. What a run did is a fold over them, so a run continues,
 * is replayed and is forked from them alone. Texts are without secrets. Where that changed one, `exact` names what was
 * really there in the vault, by a keyed digest.
 */

const exact = z.string().optional().describe('Key of the vault: the same data before secrets were masked.');
const step = z.int().min(1);
const text = z.string();

/** A piece of the prompt and where it came from. Offsets count UTF-16 units of the message. */
export const promptSourceSchema = z.strictObject({
  message: z.int().min(0).describe('Index in the prompt.'),
  from: z.int().min(0),
  to: z.int().min(0),
  source: z.string().describe('For example template:default, config:prompt.developer, skill:$[user].review, task.'),
  digest: z.string().describe('Keyed.'),
});
export type PromptSource = z.infer<typeof promptSourceSchema>;

/** What a model said, part by part. `meta` is the provider's own (signatures, item ids), which it wants back. */
export const assistantPartSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text, meta: z.json().optional() }),
  z.strictObject({ type: z.literal('reasoning'), text, meta: z.json().optional() }),
  z.strictObject({
    type: z.literal('tool_call'),
    call_id: z.string(),
    name: z.string(),
    arguments: z.json().describe('As the model wrote them; in the log as the tool redacts them.'),
    invalid: z.string().optional().describe('Why they are not JSON; `arguments` is then the text.'),
    refused: z.string().optional().describe('They were still arriving when the call was refused, for this reason.'),
    meta: z.json().optional(),
  }),
]);
export type AssistantPart = z.infer<typeof assistantPartSchema>;

export const modelErrorSchema = z.strictObject({
  kind: z.enum([
    'rate_limited',
    'overloaded',
    'auth',
    'invalid_request',
    'context_overflow',
    'network',
    'timeout',
    'forbidden',
    'unknown',
  ]),
  status: z.int().nullable(),
  message: z.string(),
  retryable: z.boolean(),
  retry_after_ms: z.number().nullable(),
});
export type ModelError = z.infer<typeof modelErrorSchema>;

export const FINISH_REASONS = [
  'stop',
  'length',
  'content_filter',
  'tool_calls',
  'refused_early',
  'error',
  'other',
] as const;

export const FAILURE_REASONS = [
  'budget_exhausted',
  'model_error',
  'context_overflow',
  'repeated_denial',
  'no_progress',
  'config_error',
  'output_invalid',
  'aborted',
  'response_cut_off',
  'internal',
] as const;

/** A file, link or folder before and after a call. A folder has the key of an empty content, a link that of its target. */
export const changedFileSchema = z.strictObject({
  path: z.string().describe('Below the workspace.'),
  before: z.string().nullable().describe('Key of the vault; null if it did not exist, or if `before_lost` says why.'),
  after: z.string().nullable(),
  before_type: z.enum(['link', 'folder']).optional().describe('A file if this is missing.'),
  after_type: z.enum(['link', 'folder']).optional(),
  before_mode: z.int().min(0).optional().describe('Permission bits.'),
  after_mode: z.int().min(0).optional(),
  before_lost: z.string().optional().describe('Why it is unknown what was there before.'),
  after_lost: z.string().optional().describe('Why it is unknown what was there afterwards.'),
});
export type ChangedFile = z.infer<typeof changedFileSchema>;

/** The parts of a tool that a model is told, besides its name. */
export const SPEC_PARTS = ['description', 'parameters'] as const;
const specParts = z.array(z.enum(SPEC_PARTS));

/** Tools that were found when a process began, such as those of an MCP server: a replay has them from here. */
export const sourceToolsSchema = z.strictObject({
  name: z.string().describe('The source, such as mcp:files.'),
  tools: z.array(
    z.strictObject({
      name: z.string(),
      description: z.string(),
      parameters: z.json(),
      changed: specParts.optional().describe('Parts that differ from the tool that was last accepted, in any run.'),
    }),
  ),
  problem: z.string().optional().describe('Why it has no tools, or not all of them.'),
});
export type SourceTools = z.infer<typeof sourceToolsSchema>;
const sources = z
  .array(sourceToolsSchema)
  .optional()
  .describe('Tools of sources, whose servers a replay does not need.');

const notRestored = z.array(z.strictObject({ path: z.string(), reason: z.string() }));

const data = {
  run_started: z.strictObject({
    session_id: z.string(),
    workspace: z.string(),
    model: z.string().describe('provider:model'),
    planner: z.string().nullable(),
    tools: z.array(z.strictObject({ name: z.string(), digest: z.string() })),
    sources,
    policy_digest: z.string(),
    sandbox: z.json().describe('The posture in effect.'),
    budgets: budgetsSchema,
    settings: z.json().describe('Everything else that the loop decides by.'),
    output_schema: z.json().nullable(),
    parent: z.strictObject({ run_id: z.string(), call_id: z.string(), wal_locator: z.string() }).nullable(),
    forked_from: z.strictObject({ run_id: z.string(), seq: z.int(), wal_locator: z.string() }).nullable(),
    exact,
  }),
  /** What comes before this was copied from another run; what follows happens in a workspace of its own. */
  run_forked: z.strictObject({
    run_id: z.string().describe('The run that the events before this one come from.'),
    seq: z.int().min(1).describe('Its event that it was forked at.'),
    wal_locator: z.string(),
    workspace: z.string().describe('The new folder.'),
    edited: z.boolean().describe('Whether the event before this one was changed.'),
    restored: z.int().min(0).describe('How many files were set to what they were at that event.'),
    not_restored: notRestored,
    exact,
  }),
  run_resumed: z.strictObject({
    session_id: z.string(),
    workspace: z.string().optional().describe('Where the run continues; as before if it is missing.'),
    changed_outside: z.array(z.string()).describe('Files that changed since this run last knew them.'),
    policy_digest: z.string(),
    tools: z.array(z.strictObject({ name: z.string(), digest: z.string() })),
    sources,
    model: z.string(),
    planner: z.string().nullable().optional(),
    sandbox: z.json(),
    exact,
  }),
  user_message: z.strictObject({
    text,
    origin: z.enum(['task', 'send', 'notice']),
    when: z.enum(['now', 'after']),
    interrupt: z.literal(true).optional().describe('It interrupts the request or the calls that are under way.'),
    exact,
  }),
  /** A message of an earlier conversation that the run begins with. */
  history_message: z.strictObject({ role: z.enum(['user', 'assistant']), text, exact }),
  /** The parts of the prompt before the conversation; again only when they change. */
  prompt_compiled: z.strictObject({
    step,
    messages: z.int(),
    chars: z.int(),
    prefix_digest: z.string().describe('Over all messages of the prompt, one after the other.'),
    sources: z.array(promptSourceSchema).describe('Of the messages that this prompt has and the last one had not.'),
    system: z
      .array(text)
      .nullable()
      .describe('Messages before the conversation, at the first step and when they change.'),
    exact,
  }),
  history_trimmed: z.strictObject({
    step,
    limit: z.enum(['messages', 'chars']),
    dropped_messages: z.int(),
    kept_messages: z.int(),
  }),
  history_compacted: z.strictObject({
    step,
    mode: z.enum(['compact_first', 'ask_first']),
    dropped_messages: z.int(),
    summary: text,
    usage: usageSchema.nullable(),
    cost_usd: z.number().nullable(),
    exact,
  }),
  llm_request_started: z.strictObject({
    step,
    try: z.int().min(1),
    model: z.string(),
    purpose: z.enum(['step', 'compaction']),
    prefix_digest: z.string(),
  }),
  llm_response_delta: z.strictObject({
    step,
    part: z.int().min(0),
    kind: z.enum(['text', 'reasoning', 'tool_arguments']),
    text,
    call_id: z.string().optional().describe('At the beginning of a tool call.'),
    name: z.string().optional(),
    exact,
  }),
  llm_response_completed: z.strictObject({
    step,
    finish_reason: z.enum(FINISH_REASONS),
    parts: z.array(assistantPartSchema),
    usage: usageSchema.nullable(),
    cost_usd: z.number().nullable(),
    exact,
  }),
  llm_request_failed: z.strictObject({
    step,
    try: z.int().min(1),
    error: modelErrorSchema,
    retry: z.strictObject({ delay_ms: z.number(), random: z.number() }).nullable(),
    exact,
  }),
  tool_call_requested: z.strictObject({
    step,
    call_id: z.string(),
    name: z.string(),
    arguments: z.json(),
    digest: z
      .string()
      .describe('Keyed, of tool, exact arguments and workspace; of an untrusted tool also of its spec.'),
    changed: z
      .strictObject({ description: z.string().optional(), parameters: z.json().optional() })
      .optional()
      .describe('Of a tool of a source: what its server has now, where it differs from what the model was given.'),
    verdict: policyVerdictSchema.nullable().describe('Null if the call was rejected before the policy was asked.'),
    exact,
  }),
  approval_requested: toolApprovalRequestSchema.extend({ exact }),
  approval_decided: toolApprovalAnswerSchema.extend({ approval_id: z.string(), digest: z.string(), exact }),
  question_asked: humanQuestionSchema.extend({ exact }),
  question_answered: humanAnswerSchema.extend({ question_id: z.string(), exact }),
  hook_decided: z.strictObject({
    call_id: z.string(),
    hook: z.string(),
    phase: z.enum(['before', 'after']),
    outcome: z.enum(['changed', 'refused', 'failed']),
    reason: z.string().nullable(),
    value: z.json().describe('Arguments or result after a change, as in the log.'),
    exact,
  }),
  tool_call_started: z.strictObject({ step, call_id: z.string(), digest: z.string(), exact }),
  tool_call_finished: z.strictObject({
    step,
    call_id: z.string(),
    result: toolResultSchema,
    files: z.array(changedFileSchema).optional().describe('Changes to the workspace.'),
    incomplete: z.string().optional().describe('Why not all changes to files could be kept.'),
    artifact: z.string().optional().describe('File below artifacts/ with all of the output.'),
    exact,
  }),
  guard_tripped: z.strictObject({ guard: z.enum(['repeated_denial', 'no_progress']), detail: z.string(), exact }),
  budget_exhausted: z.strictObject({
    budget: z.enum(BUDGETS),
    scope: z.enum(['run', 'tree']).describe('Of this run, or of the agents that it belongs to.'),
    limit: z.number(),
    used: z.number(),
  }),
  output_rejected: z.strictObject({ step, violations: z.array(z.string()), exact }),
  cancel_requested: z.strictObject({ reason: z.string(), exact }),
  /** The run stops, but does not end: it can be resumed. */
  close_requested: z.strictObject({ reason: z.string(), exact }),
  /** Use by a child of this run; its own log has the details. */
  child_charged: z.strictObject({
    run_id: z.string(),
    steps: z.int(),
    usage: usageSchema,
    cost_usd: z.number().nullable(),
  }),
  run_waiting: z.strictObject({ approvals: z.array(z.string()), questions: z.array(z.string()) }),
  run_completed: z.strictObject({
    output: z.json(),
    text,
    steps: z.int(),
    usage: usageSchema,
    cost_usd: z.number().nullable(),
    exact,
  }),
  run_failed: z.strictObject({
    reason: z.enum(FAILURE_REASONS),
    message: z.string(),
    steps: z.int(),
    usage: usageSchema,
    cost_usd: z.number().nullable(),
    exact,
  }),
  run_cancelled: z.strictObject({
    reason: z.string(),
    steps: z.int(),
    usage: usageSchema,
    cost_usd: z.number().nullable(),
    exact,
  }),
};

/** What an event is about; [the log](agent-log.md#events) has the meanings. */
export type AgentEventType = keyof typeof data;
/** The data of an event of this type. */
export type AgentData<T extends AgentEventType = AgentEventType> = z.infer<(typeof data)[T]>;

export type AgentDraft<T extends AgentEventType = AgentEventType> = {
  [K in T]: { ts: string; type: K; data: AgentData<K> };
}[T];

/** One line of the log. `seq` counts from 1; `chain` is the hash of this line and all before it. */
export type AgentEvent<T extends AgentEventType = AgentEventType> = {
  [K in T]: {
    protocol_version: typeof AGENT_VERSION;
    run_id: string;
    seq: number;
    ts: string;
    type: K;
    data: AgentData<K>;
    chain: string;
  };
}[T];

/** For events that were read from a file or a socket. */
export const agentEventDataSchemas: { readonly [K in AgentEventType]: z.ZodType<AgentData<K>> } = data;
