import { type EngineProfile, engineOf } from '../../engines/index.ts';
import type { RunRequest } from '../request/run-request.ts';

/** How the output of a request's attempt is read. */
export function planProfile({ engine, agent }: Pick<RunRequest, 'engine' | 'agent'>): EngineProfile {
  return engineOf(engine, { parsed: agent?.parse ?? true });
}
