import {
  type AgentSettings,
  orderedRules,
  policyFromSettings,
  toolsFromSettings,
} from '../../agent/from-config/index.ts';
import { type JudgedAgain, type JudgedLog, judgeLog } from '../../agent/replay/judge-log.ts';
import { openRecordedRun } from '../../agent/wal/index.ts';
import { createRegistry } from '../../tools/index.ts';
import type { PolicyTestOptions } from '../commands/policy.ts';
import { count, printable } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { findAgentLog } from './find-agent-log.ts';
import { ruleLine } from './rule-line.ts';
import { ruleFacts, settingsOf, shownDecision } from './test.ts';

const MAX_ARGUMENTS = 160;

/** `tacho policy test --against <run>`: what the policy would have decided. Returns 1 if a verdict differs. */
export async function testAgainst(wanted: string, options: PolicyTestOptions): Promise<number> {
  const { locator, workspace } = await findAgentLog(wanted, options);
  const settings = settingsOf(workspace, options);
  const policy = await policyFromSettings(settings);
  const registry = createRegistry(await toolsFromSettings(settings, { runtime: true }));
  const recorded = openRecordedRun(locator);
  try {
    const judged = await judgeLog(recorded.read(), recorded.vault, { policy, registry });
    const changed = judged.calls.filter(({ was, now }) => was.decision !== now.decision);
    if (options.json) printJson(recorded.runId, judged, changed, settings);
    else printText(judged, changed, settings);
    return changed.length === 0 ? 0 : 1;
  } finally {
    recorded.close();
  }
}

function printJson(
  run_id: string,
  { calls, skipped }: JudgedLog,
  changed: readonly JudgedAgain[],
  settings: AgentSettings,
): void {
  const differing = changed.map((call) => ({ ...call, ...ruleFacts(call.now, settings) }));
  const same = calls.length - changed.length;
  process.stdout.write(`${JSON.stringify({ run_id, calls: calls.length, same, changed: differing, skipped })}\n`);
}

function printText({ calls, skipped }: JudgedLog, changed: readonly JudgedAgain[], settings: AgentSettings): void {
  for (const { seq, tool, arguments: given, was, now } of changed) {
    const rule = now.rule === null ? undefined : orderedRules(settings)[now.rule];
    const why = rule ? ruleLine(rule) : printable(now.reason);
    process.stdout.write(
      `event ${seq}  ${printable(tool)} ${paint.dim(shortJson(given))}\n  ${shownDecision(was)} → ${shownDecision(now)}  ${why}\n`,
    );
  }
  const same = calls.length - changed.length;
  process.stdout.write(`${count(calls.length, 'call')}: ${same} the same, ${changed.length} different\n`);
  if (skipped.length === 0) return;
  const reasons = new Set(skipped.map(({ tool, reason }) => `${printable(tool)}: ${printable(reason)}`));
  process.stderr.write(`${count(skipped.length, 'call')} could not be judged:\n`);
  for (const reason of reasons) process.stderr.write(`  ${reason}\n`);
}

function shortJson(value: unknown): string {
  const text = printable(JSON.stringify(value) ?? '');
  return text.length > MAX_ARGUMENTS ? `${text.slice(0, MAX_ARGUMENTS - 1)}…` : text;
}
