import { createHash } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import type { PolicyDecision, PolicyRule, PolicyVerdict, ToolAction } from '../../protocol/index.ts';
import { loadShellGrammar } from '../shell/grammar.ts';
import type { Place } from '../shell/report.ts';
import { judgeAction } from './judge-action.ts';
import type { CommandContext } from './judge-command.ts';
import { type Piece, strictest } from './piece.ts';
import { compileRule, type LoadedRule } from './rule.ts';

/** Decisions where no rule applies. */
export interface PolicyDefaults {
  /** Changes to files of the workspace (default: ask). */
  write: PolicyDecision;
  /** Commands that are not known to be safe (default: ask). */
  command: PolicyDecision;
  /** Tools that have effects and say nothing about them (default: ask). */
  tool: PolicyDecision;
}

export interface PolicyOptions {
  /** Rules of the user. */
  rules?: readonly PolicyRule[];
  /** Rules of the workspace. They make the policy stricter; those that allow count only if `isTrusted`. */
  workspaceRules?: readonly PolicyRule[];
  isTrusted?: boolean;
  /** Absolute, without links. */
  workspaceRoot: string;
  defaults?: Partial<PolicyDefaults>;
  /** Files and folders of tacho outside of the workspace, such as the data folder; absolute. */
  protectedPaths?: readonly string[];
  /** Folders below those that may be used all the same, such as that of a recorded run; absolute. */
  openPaths?: readonly string[];
  /** The home of the user that commands run as (default: that of this process). */
  home?: string;
}

/** A call as the policy sees it. */
export interface JudgedCall {
  tool: string;
  /** What it is about to do; empty if the tool cannot say. */
  actions: readonly ToolAction[];
  /** Whether a tool without actions has effects (default: true). */
  hasEffects?: boolean;
  /** Its effects are calls of other agents, which are judged themselves (default: false). */
  delegates?: boolean;
  /** A rule about the tool itself may be suggested, as it has no actions that one could be about (default: false). */
  suggestsTool?: boolean;
  /** Rules that were added since the policy was made, by decisions of the user. */
  added?: readonly PolicyRule[];
}

/** Judges calls: may they run, must they be asked about, are they denied? */
export interface Policy {
  /** Of all rules, defaults and protected paths. */
  readonly digest: string;
  /** In the order in which verdicts refer to them. */
  readonly rules: readonly PolicyRule[];
  evaluate(call: JudgedCall): PolicyVerdict;
}

/**
 * Makes a policy, for agents of any kind. Checks all rules with their examples, and throws POLICY_INVALID. Judging is
 * synchronous and reads nothing.
 */
export async function createPolicy(options: PolicyOptions): Promise<Policy> {
  await loadShellGrammar();
  const { loadRules } = await import('./load-rules.ts');
  const { rules = [], workspaceRules = [], isTrusted = false, protectedPaths = [], openPaths = [] } = options;
  const defaults: PolicyDefaults = { write: 'ask', command: 'ask', tool: 'ask', ...options.defaults };
  const place: Place = {
    workspaceRoot: path.resolve(options.workspaceRoot),
    home: path.resolve(options.home ?? os.homedir()),
  };
  const loaded = [
    ...loadRules(rules, { level: 'user', firstIndex: 0, place }),
    ...loadRules(workspaceRules, { level: 'workspace', firstIndex: rules.length, place }),
  ];
  const effective = loaded.filter(({ rule, level }) => level === 'user' || isTrusted || rule.decision !== 'allow');
  const all = loaded.map(({ rule }) => rule);
  return {
    digest: digestOf({
      rules: effective.map(({ rule, level }) => [level, rule]),
      defaults,
      protectedPaths,
      ...(openPaths.length > 0 ? { openPaths } : {}),
    }),
    rules: all,
    evaluate: (call) => {
      const added = (call.added ?? []).map((rule, index) => {
        return compileRule(rule, { index: all.length + index, level: 'user', ...place });
      });
      return evaluate(call, {
        place,
        protectedPaths,
        openPaths,
        rules: added.length > 0 ? [...effective, ...added] : effective,
        defaults: { read: 'allow', write: defaults.write },
        commandDefault: defaults.command,
        toolDefault: defaults.tool,
      });
    },
  };
}

interface Context extends CommandContext {
  toolDefault: PolicyDecision;
}

function evaluate(call: JudgedCall, context: Context): PolicyVerdict {
  const { tool, actions, suggestsTool = false } = call;
  const stated = statedAboutTool(tool, context.rules);
  const isAllowed = strictest(stated)?.decision === 'allow';
  const isNamed = context.rules.some(({ rule }) => rule.decision === 'allow' && rule.tool === tool);
  const pieces = [...stated];
  let suggested: PolicyRule | null = null;
  for (const action of actions) {
    const judged = judgeAction(action, context);
    suggested = judged.suggested;
    // A rule that allows the tool allows it to change files of the workspace, but commands only by rules about them.
    // One for many tools does not allow to type into programs, which amounts to commands.
    const isCovered = isAllowed && (judged.allowedBy === 'tool' || (judged.allowedBy !== null && isNamed));
    pieces.push(...(isCovered ? judged.pieces.filter(({ from }) => from !== 'default') : judged.pieces));
  }
  if (actions.length === 0 && stated.length === 0) pieces.push(withoutActions(call, context.toolDefault));
  const deciding = strictest(pieces);
  if (!deciding) return { decision: 'allow', reason: 'it only reads and prints', rule: null, suggested_rule: null };
  const { decision, rule } = deciding;
  // A rule that asks is stricter than any that allows.
  if (actions.length === 0 && suggestsTool && rule === null) suggested = { decision: 'allow', tool };
  return {
    decision,
    reason: reasonOf(pieces, decision),
    rule,
    suggested_rule: decision === 'ask' && actions.length <= 1 ? suggested : null,
  };
}

function statedAboutTool(tool: string, rules: readonly LoadedRule[]): Piece[] {
  return rules
    .filter(({ tools }) => tools?.test(tool))
    .map(({ rule, index }) => {
      const reason = rule.reason ?? `a rule about the tool ${rule.tool} says ${rule.decision}`;
      return { decision: rule.decision, reason, rule: index, from: 'rule' };
    });
}

function withoutActions({ tool, hasEffects = true, delegates = false }: JudgedCall, decision: PolicyDecision): Piece {
  const allow = (reason: string): Piece => ({ decision: 'allow', reason, rule: null, from: 'default' });
  if (!hasEffects) return allow(`${tool} has no effects`);
  if (delegates) return allow(`${tool} only directs child agents, whose calls are judged themselves`);
  return { decision, reason: `${tool} has effects, and no rule decides about it`, rule: null, from: 'default' };
}

const MAX_REASONS = 3;

/** All that led to the decision, shortened. */
function reasonOf(pieces: readonly Piece[], decision: PolicyDecision): string {
  const reasons = [...new Set(pieces.filter((piece) => piece.decision === decision).map(({ reason }) => reason))];
  const rest = reasons.length - MAX_REASONS;
  return reasons.slice(0, MAX_REASONS).join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, sortKeys)).digest('hex');
}

/** The same rules give the same text, whatever the order of their keys. */
function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
