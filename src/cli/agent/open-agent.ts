import path from 'node:path';
import type { AgentSettings, ConfiguredAgent } from '../../agent/from-config/index.ts';
import type { Asker } from '../../agent/loop/effects.ts';
import type { AgentModel } from '../../agent/models/model.ts';
import { listAgentRuns } from '../../agent/wal/index.ts';
import type { Approver } from '../../approvals/index.ts';
import type { ConfigSettings } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { AgentOptions, RunAgentOptions } from '../commands/agent.ts';
import { paint } from '../output/paint.ts';
import type { EventLines } from './event-lines.ts';

/** For what is read from a log alone. */
const NO_MODEL: AgentModel = {
  id: 'none',
  // biome-ignore lint/correctness/useYield: it is never asked
  async *stream() {
    throw new Error('no model is used here');
  },
};

export function workspaceOf({ cwd = '.' }: AgentOptions): string {
  return path.resolve(cwd);
}

/** The agent that the configuration describes, with the options of the command line over it. */
export async function openAgent(
  options: RunAgentOptions,
  { needsModel = true, lines }: { needsModel?: boolean; lines?: EventLines } = {},
): Promise<ConfiguredAgent> {
  const { agentFromConfig } = await import('../../agent/from-config/index.ts');
  const { terminalApprover, terminalAsker } = await import('../../approvals/index.ts');
  const { workspaceRuntime } = await import('../../runtime/port/index.ts');
  const streams = { input: process.stdin, output: process.stderr };
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY && !options.json;
  const configured = await agentFromConfig(workspaceOf(options), {
    ...(options.data === undefined ? {} : { home: options.data }),
    session: { name: 'command line', settings: sessionSettings(options) },
    // Without a terminal a run waits, and `tacho agent decide` continues it.
    terminal: isTerminal ? afterLines(terminalApprover(streams), lines) : 'later',
    // Nothing is started before the first child agent.
    runtime: workspaceRuntime,
    override: {
      human: isTerminal ? asksAfterLines(terminalAsker(streams), lines) : 'later',
      ...(needsModel ? {} : { model: NO_MODEL }),
    },
  });
  if (!options.quiet) warnOfIgnored(configured.settings);
  return configured;
}

function afterLines(approver: Approver, lines: EventLines | undefined): Approver {
  return {
    decide: async (request, signal) => {
      await lines?.untilShown(request.approval_id);
      return await approver.decide(request, signal);
    },
  };
}

function asksAfterLines(asker: Asker, lines: EventLines | undefined): Asker {
  return {
    ask: async (question, signal) => {
      await lines?.untilShown(question.question_id);
      return await asker.ask(question, signal);
    },
  };
}

function sessionSettings({
  model,
  provider,
  baseUrl,
  sandbox,
  maxSteps,
  maxTime,
  approve,
}: RunAgentOptions): ConfigSettings {
  const settings = {
    ...(provider === undefined && baseUrl === undefined
      ? {}
      : {
          llm: {
            ...(provider === undefined ? {} : { provider }),
            ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
          },
        }),
    ...(model === undefined ? {} : { models: { executor: model } }),
    ...(sandbox === undefined ? {} : { sandbox: { profile: sandbox } }),
    safety: {
      ...(maxSteps === undefined ? {} : { max_steps: numberOf(maxSteps) }),
      ...(maxTime === undefined ? {} : { max_wall_ms: maxTime }),
      ...(approve === undefined ? {} : { approver: approve }),
    },
  };
  // Checked against the schema like any other setting.
  return settings as ConfigSettings;
}

function numberOf(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}

function warnOfIgnored({ ignored, workspaceRoot }: AgentSettings): void {
  if (ignored.length === 0) return;
  const list = ignored.map(({ path: key, reason }) => `${key}${reason === 'looser' ? ' (looser than yours)' : ''}`);
  const isUntrusted = ignored.some(({ reason }) => reason === 'untrusted');
  const fix = isUntrusted ? ` To use them: tacho trust ${workspaceRoot}` : '';
  process.stderr.write(`${paint.yellow('tacho:')} settings of this folder are ignored: ${list.join(', ')}.${fix}\n`);
}

/** A run of the folder by its id or the beginning of it. Throws RUN_NOT_FOUND or RUN_AMBIGUOUS. */
export async function findRun(wanted: string, options: AgentOptions): Promise<string> {
  const runs = (await listAgentRuns(workspaceOf(options))).map(({ run_id }) => run_id);
  if (runs.includes(wanted)) return wanted;
  const found = runs.filter((id) => id.startsWith(wanted) || id.startsWith(`run-${wanted}`));
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    throw new TachoError('RUN_AMBIGUOUS', `several runs begin with "${wanted}": ${found.join(', ')}`, {
      facts: { candidates: found },
      fix: 'Write more of its id.',
    });
  }
  throw new TachoError('RUN_NOT_FOUND', `there is no agent run "${wanted}" in ${workspaceOf(options)}`, {
    facts: { run_id: wanted },
    fix: 'List the runs of this folder with: tacho agent ls',
  });
}
