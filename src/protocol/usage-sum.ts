import type { Usage, UsageTally } from './usage.ts';

export const NO_USAGE: UsageTally = { attempt: 0, before: null, own: null, session_before: null, session_now: null };

/** Closes the attempts before this one. `resumed`: it continues the same session of the engine. */
export function beginUsage(tally: UsageTally, attempt: number, { resumed }: { resumed: boolean }): UsageTally {
  if (tally.attempt === attempt) return tally;
  const session = resumed ? tally.session_now : null;
  return { attempt, before: totalUsage(tally), own: null, session_before: session, session_now: session };
}

export interface UsageReport {
  usage?: Usage | undefined;
  session_usage?: Usage | undefined;
}

/** Takes a report of the attempt in; it replaces the attempt's earlier ones. */
export function reportUsage(tally: UsageTally, report: UsageReport): UsageTally {
  if (!report.usage && !report.session_usage) return tally;
  const session_now = report.session_usage ? { ...tally.session_now, ...report.session_usage } : tally.session_now;
  const before = isCountedAnew(report, tally.session_before) ? null : tally.session_before;
  const ofSession = report.session_usage ? since(report.session_usage, before) : {};
  return { ...tally, own: { ...tally.own, ...report.usage, ...ofSession }, session_now };
}

/** All tokens that are billed; null when none were reported. Records of older versions may lack the total. */
export function totalTokens({ total_tokens, input_tokens, output_tokens }: Usage): number | null {
  if (total_tokens !== undefined) return total_tokens;
  return input_tokens === undefined && output_tokens === undefined ? null : (input_tokens ?? 0) + (output_tokens ?? 0);
}

/** The sum over all attempts; null when none has reported anything. */
export function totalUsage({ before, own }: UsageTally): Usage | null {
  return before && own ? (sum(before, own) as Usage) : (own ?? before);
}

type Amounts = Record<string, unknown>;

/** Some versions of an engine count a resumed session from 0: it has grown by less than the attempt itself has used. */
function isCountedAnew({ usage, session_usage }: UsageReport, before: Usage | null): boolean {
  const [own, now, then] = [usage?.total_tokens, session_usage?.total_tokens, before?.total_tokens];
  return own !== undefined && now !== undefined && then !== undefined && now - then < own;
}

/** Numbers are added, also those inside; of anything else the later one counts. */
function sum(one: Amounts, other: Amounts): Amounts {
  const total: Amounts = { ...one };
  for (const [name, amount] of Object.entries(other)) {
    const earlier = one[name];
    if (typeof earlier === 'number' && typeof amount === 'number') total[name] = bounded(earlier + amount);
    else if (isAmounts(earlier) && isAmounts(amount)) total[name] = sum(earlier, amount);
    else total[name] = amount;
  }
  return total;
}

/** If an amount went down, counting restarted, so all of it belongs to this attempt. */
function since(now: Amounts, before: Amounts | null): Amounts {
  const own: Amounts = {};
  for (const [name, amount] of Object.entries(now)) {
    const earlier = before?.[name];
    const counts = typeof earlier === 'number' && typeof amount === 'number' && amount >= earlier;
    own[name] = counts ? rounded(amount - earlier) : amount;
  }
  return own;
}

function isAmounts(value: unknown): value is Amounts {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function bounded(amount: number): number {
  return rounded(Math.min(amount, Number.MAX_VALUE));
}

/** Costs have up to a millionth of a cent; what lies beyond comes from binary fractions. */
function rounded(amount: number): number {
  return Number.isInteger(amount) ? amount : Number(amount.toPrecision(12));
}
