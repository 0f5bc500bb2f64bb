import type { Approval, PolicyRule, RaspEvent } from '../../../src/protocol/index.ts';

/** What an agent asks permission for, as far as its details are understood. Everything else is shown unchanged. */
export interface ApprovalRequest {
  act:
    | { kind: 'command'; command: string; cwd: string | null }
    | { kind: 'write'; path: string; before: string; after: string }
    | { kind: 'files'; files: { access: string; path: string }[] }
    | { kind: 'other'; details: Record<string, unknown> };
  /** The rule that requires approval, or the agent's reason. */
  why: string | null;
  risk: string | null;
  /** Must not be allowed by a single key. */
  destructive: boolean;
  /** Names only; values stay private. */
  environment: string[];
  /** When the request expires, in milliseconds since the epoch. */
  until: number | null;
  /** What “always” would allow; null if there is nothing safe to offer. */
  rule: PolicyRule | null;
}

/** Shown elsewhere, or of no use to a person. */
const NOT_SHOWN = ['rule', 'reason', 'risk', 'destructive', 'env', 'env_names', 'agent', 'digest', 'suggested_rule'];

export function readApproval(details: unknown): ApprovalRequest {
  const given = isObject(details) ? details : details === null || details === undefined ? {} : { details };
  const { command, argv, cwd, path, file, before, after, rule, reason, risk, destructive, env, env_names } = given;
  const { environment, expires_at, actions, suggested_rule, ...rest } = given;
  const written = text(path) ?? text(file);
  const ran = commandLine(command) ?? commandLine(argv);
  const riskText = text(risk);
  const until = Date.parse(text(expires_at) ?? '');
  return {
    act:
      ran !== null
        ? { kind: 'command', command: ran, cwd: text(cwd) }
        : written !== null && typeof after === 'string'
          ? { kind: 'write', path: written, before: text(before) ?? '', after }
          : (actOf(actions) ?? { kind: 'other', details: without(rest, NOT_SHOWN) }),
    why: [ruleName(rule), text(reason)].filter((part) => part !== null).join(': ') || null,
    risk: riskText,
    destructive: destructive === true || /^(high|critical|severe)$/i.test(riskText ?? ''),
    environment: [...namesOf(env_names), ...namesOf(env), ...namesOf(environment)],
    until: Number.isNaN(until) ? null : until,
    rule: ruleIn(suggested_rule),
  };
}

/** What our own agent is about to do; null if it does not say so, or in other words. */
function actOf(actions: unknown): ApprovalRequest['act'] | null {
  const list = Array.isArray(actions) ? actions.filter(isObject) : [];
  const lines = list.flatMap(({ kind, line, argv }) => commandLine(kind === 'program' ? argv : line) ?? []);
  if (lines.length > 0) return { kind: 'command', command: lines.join('\n'), cwd: text(list[0]!.cwd) };
  const files = list.flatMap(({ kind, path }) => {
    const name = text(path);
    return name === null ? [] : { access: text(kind) ?? '', path: name };
  });
  return files.length === 0 ? null : { kind: 'files', files };
}

/** A rule that can be shown in words; anything else is not offered. */
function ruleIn(value: unknown): PolicyRule | null {
  if (!isObject(value) || value.decision !== 'allow') return null;
  const { command, tool, path } = value;
  const isCommand = Array.isArray(command) && command.length > 0 && command.flat().every((word) => text(word) !== null);
  return isCommand || text(tool) !== null || text(path) !== null ? (value as PolicyRule) : null;
}

/** Engines have different words for approval; every other decision is a refusal. */
export function isPermission(decision: string): boolean {
  return /^(?:approve|allow|accept|grant|yes)/i.test(decision);
}

/** A request from its event; the server lists the same. */
export function approvalOf(event: RaspEvent<'interaction.approval.requested'>): Approval {
  const { approval_id, summary, ...details } = event.data;
  const { run_id, ts: requested_at } = event;
  return { approval_id, run_id, summary, details, status: 'pending', requested_at, decided_at: null, reason: null };
}

/** An argv as a command line, quoted where needed. */
function commandLine(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value) || !value.every((word) => typeof word === 'string')) return null;
  return value.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}

function ruleName(rule: unknown): string | null {
  if (!isObject(rule)) return text(rule);
  const parts = [text(rule.name) ?? text(rule.id), text(rule.reason)].filter((part) => part !== null);
  return parts.join(': ') || null;
}

function namesOf(value: unknown): string[] {
  const names = Array.isArray(value) ? value : isObject(value) ? Object.keys(value) : [];
  return names.filter((name) => typeof name === 'string').map((name) => name.split('=', 1)[0]!);
}

function without(value: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
