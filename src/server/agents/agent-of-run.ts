import { type RunView, TachoError } from '../../protocol/index.ts';

/** The engine whose runs have the log of an agent. */
const AGENT_ENGINE = 'agent';

/** Where the log of a run's agent is: in its workspace, by the session of the run. */
export function agentOfRun({
  handle,
  engine,
  cwd,
  session_id,
}: Pick<RunView, 'handle' | 'engine' | 'cwd' | 'session_id'>): { workspace: string; run_id: string } {
  if (engine !== AGENT_ENGINE) {
    throw new TachoError('NOT_FOUND', `run ${handle} is not a run of an agent: its engine is ${engine}`, {
      facts: { engine },
    });
  }
  if (session_id === null) {
    throw new TachoError('NOT_FOUND', `run ${handle} has no log of an agent yet`, { facts: { engine } });
  }
  return { workspace: cwd, run_id: session_id };
}
