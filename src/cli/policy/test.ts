import path from 'node:path';
import {
  type AgentSettings,
  orderedRules,
  policyFromSettings,
  resolveAgentSettings,
} from '../../agent/from-config/index.ts';
import { type PolicyVerdict, TachoError } from '../../protocol/index.ts';
import type { PolicyTestOptions } from '../commands/policy.ts';
import { printable } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { ruleLine } from './rule-line.ts';

/** `tacho policy test` */
export async function testPolicy(words: readonly string[], options: PolicyTestOptions): Promise<number> {
  const line = words.join(' ');
  if (options.against === undefined) {
    if (line.trim() !== '') return await testLine(line, options);
    throw new TachoError('USAGE', 'the command line is missing', {
      fix: "For example: tacho policy test 'git push', or: tacho policy test --against last",
    });
  }
  if (line !== '') {
    throw new TachoError('USAGE', '--against judges the calls of a run and does not accept a command line', {
      fix: 'Leave one of them out.',
    });
  }
  const { testAgainst } = await import('./against.ts');
  return await testAgainst(options.against, options);
}

async function testLine(line: string, options: PolicyTestOptions): Promise<number> {
  const settings = settingsOf(path.resolve(options.cwd ?? '.'), options);
  const policy = await policyFromSettings(settings);
  const { workspaceRoot: cwd } = settings;
  const verdict = policy.evaluate({ tool: 'shell_command', actions: [{ kind: 'shell', line, cwd }] });
  if (options.json) process.stdout.write(`${JSON.stringify({ line, ...verdict, ...ruleFacts(verdict, settings) })}\n`);
  else {
    const rule = verdict.rule === null ? '' : `\n  rule: ${ruleLine(orderedRules(settings)[verdict.rule]!)}`;
    process.stdout.write(`${shownDecision(verdict)}  ${printable(line)}\n  ${printable(verdict.reason)}${rule}\n`);
  }
  return verdict.decision === 'allow' ? 0 : 1;
}

/** The settings of a folder, with those of `--policy` over them. */
export function settingsOf(folder: string, { policy, data }: PolicyTestOptions): AgentSettings {
  const more = policy === undefined ? [] : [path.resolve(policy)];
  const files = [process.env.TACHO_CONFIG_PATHS ?? '', ...more].filter((file) => file !== '');
  const env = files.length === 0 ? process.env : { ...process.env, TACHO_CONFIG_PATHS: files.join(',') };
  return resolveAgentSettings(folder, { env, ...(data === undefined ? {} : { home: data }) });
}

/** For JSON: the rule itself, and where it is. */
export function ruleFacts({ rule }: PolicyVerdict, settings: AgentSettings): object {
  const found = rule === null ? undefined : orderedRules(settings)[rule];
  return found === undefined ? {} : { decided_by: { rule: found.rule, level: found.level, source: found.source } };
}

export function shownDecision({ decision }: Pick<PolicyVerdict, 'decision'>): string {
  const colour = { allow: paint.green, ask: paint.yellow, deny: paint.red }[decision];
  return colour(decision);
}
