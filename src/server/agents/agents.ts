import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { AgentFacts, AgentPlace } from '../../agent/facts/index.ts';
import {
  type AgentFork,
  type AgentReplay,
  agentForkSchema,
  agentReplaySchema,
  TachoError,
} from '../../protocol/index.ts';
import { RegisteredAgents, type RunContext } from '../../runs/index.ts';
import { runAgentCommand } from './agent-command.ts';

export interface AgentsOptions {
  context: RunContext;
  /** The command that starts tacho; null: nothing is replayed or forked. */
  command: readonly string[] | null;
}

/** What `tacho agent replay --public --json` prints. */
const replayedSchema = agentReplaySchema
  .pick({ identical: true, events: true, missing_tools: true })
  .extend({ divergence: agentReplaySchema.shape.divergence.optional() });

/** What `tacho agent fork --json` prints. */
const forkedSchema = z.object({
  runId: z.string(),
  workspaceRoot: z.string(),
  locator: z.string(),
  restored: z.int(),
  notRestored: agentForkSchema.shape.not_restored,
});

interface ForkRequest {
  at: number;
  message?: string | undefined;
  into?: string | undefined;
}

/** The logs of agents, for routes: read here, replayed and forked by processes of their own. */
export class Agents {
  readonly registered: RegisteredAgents;
  readonly #options: AgentsOptions;
  #facts: AgentFacts | null = null;

  constructor(options: AgentsOptions) {
    this.#options = options;
    this.registered = new RegisteredAgents(options.context.home);
  }

  /** Loaded with the first request, because most servers get none. */
  async facts(): Promise<AgentFacts> {
    if (this.#facts) return this.#facts;
    const { AgentFacts } = await import('../../agent/facts/index.ts');
    this.#facts ??= new AgentFacts();
    return this.#facts;
  }

  async replay(place: AgentPlace, signal: AbortSignal): Promise<AgentReplay> {
    const run_id = await (await this.facts()).chosen(place);
    const answer = await this.#run(['replay', run_id, '-C', place.workspace, '--public'], signal);
    const { divergence = null, ...result } = replayedSchema.parse(answer);
    return { run_id, ...result, divergence };
  }

  async fork(
    place: AgentPlace,
    { at, message, into }: ForkRequest,
    signal: AbortSignal,
  ): Promise<Omit<AgentFork, 'run'>> {
    const run_id = await (await this.facts()).chosen(place);
    // Not below the data folder, which agents cannot reach.
    const target = into ?? `${place.workspace}.fork-${randomBytes(4).toString('hex')}`;
    const words = ['fork', run_id, '-C', place.workspace, '--at', String(at), '--into', target];
    const answer = await this.#run(message === undefined ? words : [...words, `--send=${message}`], signal);
    const { runId, workspaceRoot, locator, restored, notRestored } = forkedSchema.parse(answer);
    return {
      run_id: runId,
      workspace: workspaceRoot,
      locator,
      restored,
      not_restored: notRestored,
      command: ['tacho', 'agent', 'resume', '-C', workspaceRoot, runId],
    };
  }

  async #run(words: readonly string[], signal: AbortSignal): Promise<unknown> {
    const { command, context } = this.#options;
    if (!command) throw new TachoError('COMMAND_UNAVAILABLE', 'this server cannot start tacho');
    return await runAgentCommand(words, {
      command,
      dataFolder: context.home.root,
      environment: context.env,
      signal,
    });
  }
}
