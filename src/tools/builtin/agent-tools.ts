import { tool } from '../define-tool.ts';
import type { AgentState } from '../runtime-port.ts';
import type { ToolAnswer } from '../tool.ts';
import { agentsOf } from './runtime-of.ts';

const WAIT_MS = 60_000;
const AGENT_ID = { type: 'string', minLength: 1 };

export const spawnAgent = tool<{ task: string; tools?: string[]; model?: string }>({
  name: 'spawn_agent',
  description: 'Start a child agent with a task of its own. It works beside you; wait for its answer with wait.',
  input: {
    type: 'object',
    properties: {
      task: {
        type: 'string',
        minLength: 1,
        description: 'Everything it has to know: it does not see this conversation',
      },
      tools: { type: 'array', items: { type: 'string' }, description: 'Names of its tools (default: all of yours)' },
      model: { type: 'string', minLength: 1, description: '(default: your own)' },
    },
    required: ['task'],
    additionalProperties: false,
  },
  isRepeatable: true,
  delegates: true,
  execute: async (input, context) => {
    const { callId, callKey, signal } = context;
    return answerOf([await agentsOf(context).spawnAgent({ callId, callKey, ...input }, signal)]);
  },
});

export const waitForAgents = tool<{ agent_ids: string[]; timeout_ms?: number }>({
  name: 'wait',
  description:
    'Wait until one of these child agents has ended or was stopped. One that waits for the user is reported at the timeout.',
  input: {
    type: 'object',
    properties: {
      agent_ids: { type: 'array', items: AGENT_ID, minItems: 1, maxItems: 100 },
      timeout_ms: {
        type: 'integer',
        minimum: 0,
        maximum: 3_600_000,
        description: `Timeout in milliseconds (default: ${WAIT_MS})`,
      },
    },
    required: ['agent_ids'],
    additionalProperties: false,
  },
  concurrency: 'shared',
  hasEffects: false,
  execute: async ({ agent_ids, timeout_ms = WAIT_MS }, context) => {
    const request = { agentIds: agent_ids, timeoutMs: timeout_ms };
    return answerOf(await agentsOf(context).waitForAgents(request, context.signal));
  },
});

export const sendInput = tool<{ agent_id: string; text: string; interrupt?: boolean }>({
  name: 'send_input',
  description: 'Send a message to a child agent that has not ended.',
  input: {
    type: 'object',
    properties: {
      agent_id: AGENT_ID,
      text: { type: 'string', minLength: 1 },
      interrupt: { type: 'boolean', description: 'Stop what it does now (default: false)' },
    },
    required: ['agent_id', 'text'],
    additionalProperties: false,
  },
  delegates: true,
  execute: async ({ agent_id, text, interrupt = false }, context) =>
    answerOf([await agentsOf(context).sendInput({ agentId: agent_id, text, interrupt }, context.signal)]),
});

export const closeAgent = tool<{ agent_id: string }>({
  name: 'close_agent',
  description: 'Stop a child agent that is not needed for now. resume_agent continues it.',
  input: { type: 'object', properties: { agent_id: AGENT_ID }, required: ['agent_id'], additionalProperties: false },
  isRepeatable: true,
  delegates: true,
  execute: async ({ agent_id }, context) =>
    answerOf([await agentsOf(context).closeAgent({ agentId: agent_id }, context.signal)]),
});

export const resumeAgent = tool<{ agent_id: string }>({
  name: 'resume_agent',
  description: 'Continue a child agent that was closed, or whose process died.',
  input: { type: 'object', properties: { agent_id: AGENT_ID }, required: ['agent_id'], additionalProperties: false },
  isRepeatable: true,
  delegates: true,
  execute: async ({ agent_id }, context) =>
    answerOf([await agentsOf(context).resumeAgent({ agentId: agent_id }, context.signal)]),
});

function answerOf(agents: readonly AgentState[]): ToolAnswer {
  const lines = agents.map(({ agentId, status, text }) => `${agentId}: ${status}${text === '' ? '' : `\n${text}`}\n`);
  const data = agents.map(({ agentId, status, walLocator }) => {
    return { agent_id: agentId, status, wal_locator: walLocator };
  });
  return { ok: true, stdout: lines.join(''), data: { agents: data } };
}
