import type { AgentEvent, ToolResult } from '../../protocol/index.ts';
import type { AgentOptions, Secret } from '../options.ts';
import { createRedactor, openRecordedRun, walLocator } from '../wal/index.ts';
import { secretsIn } from './known-secrets.ts';
import { type ReplayResult, replayRun } from './replay-run.ts';

/** What a replay does differently, if anything. */
export interface ReplayOptions {
  /** Results that tools are to have had instead, by the `seq` of their `tool_call_finished`. */
  results?: ReadonlyMap<number, ToolResult> | undefined;
  /** Where the log is, if not in the agent's own workspace: the folder that has `.tacho/runs`. */
  workspaceRoot?: string | undefined;
}

/** Replays the log of a run from its folder. Throws JOURNAL_DAMAGED or VAULT_DAMAGED if it was changed. */
export async function replayLog<Output>(
  options: AgentOptions<Output>,
  runId: string,
  { results, workspaceRoot = options.workspaceRoot }: ReplayOptions = {},
): Promise<ReplayResult> {
  const recorded = openRecordedRun(walLocator(workspaceRoot, runId));
  try {
    const events: AgentEvent[] = [];
    for await (const event of recorded.read()) events.push(event);
    const given = options.secrets ?? [];
    // One that was given is masked in all of its forms; what the log has of it may be one of them.
    const isGiven = ({ name }: Secret) => given.some((secret) => secret.name === name);
    const secrets = [...given, ...secretsIn(events, recorded.vault).filter((secret) => !isGiven(secret))];
    const result = await replayRun({ ...options, secrets }, { events, vault: recorded.vault, results });
    return createRedactor(secrets).maskJson(result);
  } finally {
    recorded.close();
  }
}
