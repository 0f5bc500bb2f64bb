import { type AgentAnswer, type AgentPrompt, type AgentRegistration, TachoError } from '../../protocol/index.ts';
import { walLocator } from '../wal/recorded-run.ts';
import { AgentLogs } from './agent-logs.ts';
import { childTree, isDescendant } from './agent-tree.ts';
import { type FactsQuery, factsAnswer } from './facts-answer.ts';
import { withKeptDecisions } from './kept-decisions.ts';
import { type PromptQuery, promptAnswer } from './prompt-answer.ts';
import { RunOrigins } from './run-origins.ts';

/** A run of an agent: `agent` is one of the agents that work for it, or the run itself. */
export interface AgentPlace {
  workspace: string;
  run_id: string;
  agent?: string | undefined;
}

/** Reads the logs of agents for pages. Nothing is written, locked or sent, and the vault's contents are not read. */
export class AgentFacts {
  readonly #logs = new AgentLogs();
  readonly #origins = new RunOrigins();

  /** `registered` are the runs among which forks of this one are looked for. Throws RUN_NOT_FOUND. */
  async read(place: AgentPlace, query: FactsQuery, registered: readonly AgentRegistration[]): Promise<AgentAnswer> {
    const { workspace } = place;
    const runId = await this.chosen(place);
    const log = await this.#logs.get(workspace, runId);
    const children = await childTree(workspace, runId, { logs: this.#logs, origins: this.#origins });
    const forks = await this.#forksOf(walLocator(workspace, runId), registered);
    return withKeptDecisions(factsAnswer(log, query, { children, forks }), log.paths);
  }

  async prompt(place: AgentPlace, query: PromptQuery): Promise<AgentPrompt> {
    return await promptAnswer(await this.#logs.get(place.workspace, await this.chosen(place)), query);
  }

  /** The id of the chosen agent. Throws RUN_NOT_FOUND if it does not work for the run. */
  async chosen({ workspace, run_id: of, agent: runId = of }: AgentPlace): Promise<string> {
    const reading = { logs: this.#logs, origins: this.#origins };
    if (runId === of || (await isDescendant(workspace, { runId, of }, reading))) return runId;
    throw new TachoError('RUN_NOT_FOUND', `the run "${of}" has no child agent "${runId}"`, {
      facts: { run_id: runId },
    });
  }

  async #forksOf(locator: string, registered: readonly AgentRegistration[]): Promise<AgentAnswer['forks']> {
    const forks: AgentAnswer['forks'] = [];
    for (const { workspace, run_id } of registered) {
      const from = (await this.#origins.of(workspace, run_id))?.forked_from;
      if (from?.wal_locator === locator) forks.push({ run_id, seq: from.seq, workspace });
    }
    return forks;
  }
}
