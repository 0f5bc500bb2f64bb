import type { FastifyReply } from 'fastify';
import type { AgentPlace } from '../../agent/facts/index.ts';
import {
  agentAnswerSchema,
  agentForkSchema,
  agentPromptSchema,
  agentReplaySchema,
  forkAgentSchema,
  type RunRequest,
  type RunView,
  runRequestSchema,
} from '../../protocol/index.ts';
import { agentOfRun } from '../agents/agent-of-run.ts';
import { answers } from '../answers.ts';
import { locateRun } from '../locate-run.ts';
import { agentPromptQuery, agentQuery, replayQuery, runParams } from '../schemas.ts';
import type { RouteApp, Service } from '../service.ts';
import { Turns } from '../turns.ts';

/** What the log of an agent says: steps, plan, prompt, budgets, children; its replay and forks. */
export function agentRoutes(app: RouteApp, { director, context, agents, turns }: Service): void {
  /** Each is a process of its own. */
  const processes = new Turns({ maxAtOnce: 2, maxWaiting: 16 });

  const runOf = (id: string) => director.get(locateRun(context.home.runs, id).runId);

  async function placeOf(id: string, agent: string | undefined): Promise<AgentPlace> {
    return { ...agentOfRun(await runOf(id)), agent };
  }

  app.route({
    method: 'GET',
    url: '/v1/runs/:id/agent',
    config: { scope: 'read' },
    schema: {
      summary: 'Reads the log of a run’s agent: status, steps, plan, budgets, decisions, child agents.',
      params: runParams,
      querystring: agentQuery,
      response: answers(200, agentAnswerSchema),
    },
    handler: async ({ params, query: { agent, after_step: afterStep, limit } }, reply) => {
      const place = await placeOf(params.id, agent);
      const facts = await agents.facts();
      return await turns.take(reply.raw, () => facts.read(place, { afterStep, limit }, agents.registered.list()));
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/runs/:id/agent/prompt',
    config: { scope: 'read' },
    schema: {
      summary: 'Reads the prompt of a step: its messages as logged, and where each part came from.',
      params: runParams,
      querystring: agentPromptQuery,
      response: answers(200, agentPromptSchema),
    },
    handler: async ({ params, query: { agent, step, after_message: afterMessage, limit } }, reply) => {
      const place = await placeOf(params.id, agent);
      const facts = await agents.facts();
      return await turns.take(reply.raw, () => facts.prompt(place, { step, afterMessage, limit }));
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/runs/:id/agent/replay',
    config: { scope: 'read' },
    schema: {
      summary: 'Runs the log of an agent through the loop again, with today’s policy and tools, and compares.',
      params: runParams,
      querystring: replayQuery,
      response: answers(200, agentReplaySchema),
    },
    handler: async ({ params, query: { agent } }, reply) => {
      const place = await placeOf(params.id, agent);
      return await processes.take(reply.raw, () => agents.replay(place, whileConnected(reply)));
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/runs/:id/agent/fork',
    config: { scope: 'admin' },
    schema: {
      summary: 'Begins a new run of an agent at any event of this one, in a folder with the files of that event.',
      params: runParams,
      body: forkAgentSchema,
      response: answers(201, agentForkSchema),
    },
    handler: async ({ params, body: { agent, resume, message, ...request } }, reply) => {
      const { mode, ...shown } = await runOf(params.id);
      const place = { ...agentOfRun(shown), agent };
      // A run that continues the fork sends the message itself.
      const asked = resume ? request : { ...request, message };
      const fork = await processes.take(reply.raw, () => agents.fork(place, asked, whileConnected(reply)));
      const run = resume ? (await director.create(continuing(fork, { mode, message }))).run_id : null;
      return reply.code(201).send({ ...fork, run });
    },
  });
}

/** A run of the engine that continues the session of a fork. */
function continuing(
  { workspace, run_id }: { workspace: string; run_id: string },
  { mode, message = 'Continue.' }: { mode: RunView['mode']; message: string | undefined },
): RunRequest {
  return runRequestSchema.parse({
    engine: 'agent',
    mode,
    cwd: workspace,
    prompt: message,
    engine_args: ['--session', run_id],
  });
}

/** Aborts when the client is gone. */
function whileConnected({ raw }: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  raw.once('close', () => leaving.abort());
  return leaving.signal;
}
