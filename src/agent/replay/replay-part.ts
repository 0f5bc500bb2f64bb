import type { AgentEvent, SourceTools } from '../../protocol/index.ts';
import { exactData } from '../run/fold-log.ts';
import type { Vault } from '../wal/index.ts';

/** What a process of a run worked with, as the log has it. */
export interface ReplayPart {
  /** A fork begins with events of another run, whose id is in them. */
  runId: string;
  workspace: string;
  model: string;
  planner: string | null;
  policyDigest: string;
  /** Its sources of tools. */
  sources: readonly SourceTools[];
  /** The event of the next fork, or the end of the log. */
  to: number;
  /** The last event before `to` was changed in the fork. */
  isEdited: boolean;
}

/** The process that began right before the event at `from`. */
export function partAt(events: readonly AgentEvent[], from: number, vault: Pick<Vault, 'getJson'>): ReplayPart {
  const part: ReplayPart = {
    runId: events[0]!.run_id,
    workspace: '',
    model: '',
    planner: null,
    policyDigest: '',
    sources: [],
    to: events.length,
    isEdited: false,
  };
  for (const event of events.slice(0, from)) {
    if (event.type === 'run_started' || event.type === 'run_resumed') {
      const { workspace, model, planner, policy_digest, sources = [] } = exactData(event, vault);
      part.workspace = workspace ?? part.workspace;
      part.model = model;
      if (planner !== undefined) part.planner = planner;
      part.policyDigest = policy_digest;
      part.sources = sources;
    }
  }
  const to = events.findIndex(({ type }, index) => index >= from && type === 'run_forked');
  const forked = events[to];
  if (forked?.type !== 'run_forked') return part;
  const { run_id: runId, edited: isEdited } = exactData(forked, vault);
  return { ...part, runId, to, isEdited };
}

/** The first event of the process that continued a fork; the end of the log if none did. */
export function resumedAfter(events: readonly AgentEvent[], fork: number): number {
  const index = events.findIndex(({ type }, at) => at >= fork && type === 'run_resumed');
  return index < 0 ? events.length : index + 1;
}
