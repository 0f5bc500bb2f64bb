import fs from 'node:fs';
import path from 'node:path';
import { diffRuns, type RunDiff } from '../../agent/fork/index.ts';
import { registerRun } from '../../agent/run/register.ts';
import { openRecordedRun, walLocator } from '../../agent/wal/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { AgentOptions, ForkAgentOptions } from '../commands/agent.ts';
import { count, printable } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { findRun, openAgent, workspaceOf } from './open-agent.ts';

/** `tacho agent fork <run>` */
export async function forkAgent(wanted: string, options: ForkAgentOptions): Promise<void> {
  const at = Number(options.at);
  if (!Number.isSafeInteger(at) || at < 1) {
    throw new TachoError('USAGE', `--at must be the number of an event, got "${printable(options.at ?? '')}"`, {
      fix: `List the events with: tacho agent show ${wanted}`,
    });
  }
  const runId = await findRun(wanted, options);
  const { agent, settings } = await openAgent({ ...options, quiet: true }, { needsModel: false });
  const fork = await agent.fork(runId, {
    at,
    into: path.resolve(options.into!),
    ...(options.message === undefined ? {} : { edit: { message: options.message } }),
    ...(options.send === undefined ? {} : { send: options.send }),
  });
  // Shown in the Studio once it is resumed, and with the run that it comes from.
  const { runId: run_id, workspaceRoot: workspace, locator } = fork;
  registerRun(settings.dataFolder, { run_id, workspace, locator });
  if (options.json) {
    process.stdout.write(`${JSON.stringify(fork)}\n`);
    return;
  }
  process.stdout.write(`${fork.runId} in ${fork.workspaceRoot}\n`);
  for (const { path: name, reason } of fork.notRestored) {
    process.stderr.write(`${paint.yellow('not restored:')} ${printable(name)}: ${printable(reason)}\n`);
  }
  process.stderr.write(`To continue: tacho agent resume -C ${fork.workspaceRoot} ${fork.runId}\n`);
}

/** `tacho agent diff <a> <b>`; exits with 1 if they differ. */
export async function diffAgents(a: string, b: string, options: AgentOptions): Promise<number> {
  const [one, other] = [openRecordedRun(await locatorOf(a, options)), openRecordedRun(await locatorOf(b, options))];
  try {
    const diff = await diffRuns(one.read(), other.read());
    process.stdout.write(options.json ? `${JSON.stringify(diff)}\n` : textOf(diff));
    return diff.first === null ? 0 : 1;
  } finally {
    one.close();
    other.close();
  }
}

async function locatorOf(wanted: string, options: AgentOptions): Promise<string> {
  if (wanted.includes('/') && fs.existsSync(wanted)) return path.resolve(wanted);
  return walLocator(workspaceOf(options), await findRun(wanted, options));
}

function textOf({ common, first, steps }: RunDiff): string {
  if (first === null) return `the same: ${count(common, 'event')}\n`;
  const lines = [`${count(common, 'event')} in common`, `event ${first.seq}: ${whatDiffers(first)}`];
  for (const { step, a, b, fields } of steps) {
    if (!a || !b) lines.push(`step ${step}: only in the ${a ? 'first' : 'second'}`);
    else
      for (const field of fields)
        lines.push(`step ${step}, ${field}:`, `  - ${short(a[field])}`, `  + ${short(b[field])}`);
  }
  return `${lines.join('\n')}\n`;
}

function whatDiffers({ types, path: where, a, b }: NonNullable<RunDiff['first']>): string {
  if (types[0] !== types[1]) return `${types[0] ?? 'the end'} – ${types[1] ?? 'the end'}`;
  return `${types[0]}, ${where}: ${short(a)} – ${short(b)}`;
}

function short(value: unknown): string {
  const text = printable(JSON.stringify(value) ?? 'nothing');
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
