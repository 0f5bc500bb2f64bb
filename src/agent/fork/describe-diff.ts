import type { RunDiff, StepDifference } from './diff-runs.ts';
import type { CallSummary, StepSummary } from './run-summary.ts';

const MAX_CHARS = 160;

/** A difference between two runs as lines of text: `-` is about the first run, `+` about the second. */
export function describeRunDiff({ common, first, steps, a, b }: RunDiff): string[] {
  const events = `${common} ${common === 1 ? 'event' : 'events'} in common`;
  if (!first) return [`the runs are the same: ${events}`];
  return [
    `--- ${a.run_id} (${a.model}, ${a.events} events)`,
    `+++ ${b.run_id} (${b.model}, ${b.events} events)`,
    `${events}; first difference at event ${first.seq}${where(first.types, first.path)}`,
    ...pair(show(first.a), show(first.b), { isMissingShown: true }),
    ...steps.flatMap(stepLines),
    'end',
    ...pair(endOf(a), endOf(b)),
    'usage',
    ...pair(show({ ...a.usage, cost_usd: a.cost_usd }), show({ ...b.usage, cost_usd: b.cost_usd })),
  ];
}

function where([one, other]: [string | null, string | null], path: string): string {
  if (one !== other) return ': its type';
  return ` (${one}): ${path}`;
}

function stepLines({ step, a, b, fields }: StepDifference): string[] {
  const lines = [`step ${step}`];
  if (!a || !b) return [...lines, ...pair(a ? oneLine(a) : null, b ? oneLine(b) : null)];
  for (const field of fields) {
    if (field !== 'calls') {
      lines.push(`  ${field}`, ...pair(show(a[field]), show(b[field])));
      continue;
    }
    for (let index = 0; index < Math.max(a.calls.length, b.calls.length); index++) {
      const [one, other] = [a.calls[index], b.calls[index]].map((call) => (call ? callLine(call) : null));
      if (one !== other) lines.push(`  call ${index + 1}`, ...pair(one!, other!));
    }
  }
  return lines;
}

function oneLine({ text, calls }: StepSummary): string {
  return [text === '' ? [] : short(text), calls.map(callLine)].flat(2).join('; ');
}

function callLine({ name, arguments: given, verdict, approval, result, files }: CallSummary): string {
  const decided = [verdict, approval].filter((word) => word !== null).join(', ');
  const outcome = result === null ? 'no result' : result.ok ? 'ok' : `${result.error_kind}`;
  const code = result?.exit_code == null ? '' : ` (exit code ${result.exit_code})`;
  const output = result === null ? '' : ` ${show(result.stdout + result.stderr)}`;
  const changed = files.length === 0 ? '' : ` [${files.map(({ path, change }) => `${change} ${path}`).join(', ')}]`;
  return `${name}(${show(given)})${decided === '' ? '' : ` ${decided}`} → ${outcome}${code}${output}${changed}`;
}

function endOf({ end }: RunDiff['a']): string {
  return end === null ? 'has not ended' : `${end.type}: ${short(end.text)}`;
}

function pair(one: string | null, other: string | null, { isMissingShown = false } = {}): string[] {
  if (one === other && !isMissingShown) return one === null ? [] : [`    ${one}`];
  return [...(one === null ? [] : [`  - ${one}`]), ...(other === null ? [] : [`  + ${other}`])];
}

function show(value: unknown): string {
  return short(JSON.stringify(value) ?? 'missing');
}

/** One line, without characters that a terminal would act on. */
function short(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (char) => (char === '\n' ? '⏎' : '�'));
  return plain.length > MAX_CHARS ? `${plain.slice(0, MAX_CHARS)}…` : plain;
}
