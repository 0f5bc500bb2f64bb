import * as z from 'zod';
import { BUDGETS } from '../agent/budgets.ts';
import { text } from '../run/run-limits.ts';
import { usageSchema } from '../usage.ts';

/** Child agents in the runtime of a workspace. */

export const agentIdSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/);
const MAX_TASK_CHARS = 1_000_000;
const MAX_WAIT_MS = 3_600_000;

const AGENT_STATUSES = ['running', 'waiting', 'completed', 'failed', 'cancelled', 'closed', 'interrupted'] as const;

export const agentUseSchema = z.strictObject({
  steps: z.int().min(0),
  usage: usageSchema,
  cost_usd: z.number().nullable(),
});

/** What a run and all runs below it have used. */
export const childUseSchema = agentUseSchema.extend({ run_id: agentIdSchema });

export const exhaustedBudgetSchema = z.strictObject({
  budget: z.enum(BUDGETS),
  limit: z.number(),
  used: z.number(),
});

/** How an agent that has to be started is configured. Kept in memory only. */
export const agentSetupSchema = z.strictObject({
  home: text(4096).optional().describe('The data folder; that of the daemon when not given.'),
  session: z
    .array(z.strictObject({ name: text(200), settings: z.record(z.string(), z.unknown()) }))
    .max(20)
    .default([])
    .describe('Settings over those of the files; later ones win.'),
  env: z.record(z.string(), z.string()).optional().describe('Its environment; that of the daemon when not given.'),
});
export type AgentSetup = z.infer<typeof agentSetupSchema>;

const listedAgentSchema = z.strictObject({
  agent_id: agentIdSchema,
  parent_id: agentIdSchema.nullable().describe('The run that it works for.'),
  status: z.enum(AGENT_STATUSES),
  wal_locator: z.string().describe('Absolute path of its log.'),
});
const agentInfoSchema = z.strictObject({
  ...listedAgentSchema.shape,
  text: z.string().describe('Its answer, why it failed or was stopped, or what it waits for.'),
  steps: z.int().min(0).describe('Of it and its own children, as are the following.'),
  usage: usageSchema,
  cost_usd: z.number().nullable(),
});
export type AgentInfo = z.infer<typeof agentInfoSchema>;

const about = {
  parent_id: agentIdSchema.optional().describe('Only agents below this run are found.'),
  setup: agentSetupSchema.optional().describe('For an agent that has to be started and is not known.'),
};

const parentSchema = z.strictObject({
  run_id: agentIdSchema,
  call_id: text(200).describe('The call that asks for it.'),
  call_key: text(300).describe('Unique in that run: the same one again returns the agent that is there.'),
  used: agentUseSchema.optional().describe('Use by that run itself so far.'),
});

export const AGENT_METHODS = {
  'agent.spawn': {
    params: z.strictObject({
      task: text(MAX_TASK_CHARS),
      parent: parentSchema.optional().describe('The run that it works for.'),
      agent_id: agentIdSchema.optional().describe('Of an agent without a parent; made up when not given.'),
      tools: z.array(text(64)).max(1000).optional().describe('Names of its tools; all when not given.'),
      model: text(1000).optional(),
      setup: agentSetupSchema.optional(),
    }),
    result: agentInfoSchema,
  },
  'agent.wait': {
    params: z.strictObject({
      agent_ids: z.array(agentIdSchema).min(1).max(100),
      timeout_ms: z.int().min(0).max(MAX_WAIT_MS).default(60_000),
      ...about,
    }),
    result: z.strictObject({ agents: z.array(agentInfoSchema) }),
  },
  'agent.send_input': {
    params: z.strictObject({
      agent_id: agentIdSchema,
      text: text(MAX_TASK_CHARS),
      interrupt: z.boolean().default(false).describe('Stops what it does now.'),
      ...about,
    }),
    result: agentInfoSchema,
  },
  'agent.close': {
    params: z.strictObject({ agent_id: agentIdSchema, reason: text(1000).default('closed'), ...about }),
    result: agentInfoSchema,
  },
  'agent.resume': { params: z.strictObject({ agent_id: agentIdSchema, ...about }), result: agentInfoSchema },
  'agent.list': {
    params: z.strictObject({ parent_id: agentIdSchema.optional().describe('Only agents below this run.') }),
    result: z.strictObject({ agents: z.array(listedAgentSchema) }),
  },
  'agent.usage': {
    params: z.strictObject({
      run_id: agentIdSchema,
      seen: z.int().min(0).default(0).describe('The last `version`: waits for another one.'),
      wait_ms: z.int().min(0).max(MAX_WAIT_MS).default(0),
    }),
    result: z.strictObject({
      version: z.int().min(0),
      live: z.int().min(0).describe('Agents below the run that run, or wait for people.'),
      children: z.array(childUseSchema),
    }),
  },
  'agent.reserve': {
    params: z.strictObject({
      run_id: agentIdSchema,
      used: agentUseSchema,
      new_step: z.boolean().default(true).describe('False: a request of a step that has begun is repeated.'),
    }),
    result: z.strictObject({
      exhausted: exhaustedBudgetSchema.nullable().describe('The budget of the tree that is used up.'),
      charges: z.array(childUseSchema).describe('Use by the children of the run.'),
    }),
  },
} as const satisfies Record<string, { params: z.ZodType; result: z.ZodType }>;
export type AgentMethod = keyof typeof AGENT_METHODS;
