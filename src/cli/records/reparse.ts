import { TachoError } from '../../protocol/index.ts';
import { findRun, nextAttempt } from '../../recording/index.ts';
import { hasMeta, openJournal, type Reparse, reparseAttempt } from '../../runs/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';
import { count, printable } from '../output/format.ts';
import { paint } from '../output/paint.ts';

const SHOWN = 20;

/** `tacho reparse`: 0 when every attempt gives the same events, 1 otherwise. */
export async function reparseRun(selector: string, options: CommonOptions): Promise<number> {
  const context = openContext(options);
  const folder = findRun(context.home.runs, selector);
  const journal = openJournal(folder, context.config);
  const attempts: Reparse[] = [];
  for (let attempt = 1; attempt < nextAttempt(folder); attempt++) {
    if (hasMeta(folder, attempt)) attempts.push(await reparseAttempt(folder, attempt, journal));
  }
  if (attempts.length === 0) {
    throw new TachoError('RECORD_INCOMPLETE', `run ${folder.runId} has no finished attempt to compare with`, {
      fix: 'Wait for it to end, or complete a lost one with: tacho recover',
    });
  }
  const identical = attempts.every((attempt) => attempt.identical);
  if (options.json) process.stdout.write(`${JSON.stringify({ run_id: folder.runId, identical, attempts })}\n`);
  else process.stdout.write(attempts.map(describe).join(''));
  return identical ? 0 : 1;
}

function describe(reparse: Reparse): string {
  const { attempt, parser, events, identical, differences, total, completion } = reparse;
  const head = `attempt ${attempt}  ${count(events, 'event')} by ${parser.now}`;
  if (identical) return `${paint.green('✔')} ${head}: identical\n`;
  const by = parser.recorded === parser.now ? '' : ` (recorded by ${parser.recorded})`;
  const lines = [`${paint.red('✖')} ${head}${by}: ${count(total, 'difference')}`];
  for (const { kind, type, seq, raw_ref, fields } of differences.slice(0, SHOWN)) {
    const place = JSON.stringify(Array.isArray(raw_ref) ? raw_ref[0] : raw_ref);
    lines.push(`  ${kind}  ${seq === null ? '' : `#${seq} `}${type} ${paint.dim(place)}`);
    for (const [name, value] of Object.entries(fields ?? {})) {
      lines.push(
        `    ${name}  recorded ${short(value.recorded)}`,
        `    ${' '.repeat(name.length)}  now      ${short(value.now)}`,
      );
    }
  }
  if (total > SHOWN) lines.push(`  … ${total - SHOWN} more (--json lists ${differences.length})`);
  if (completion) {
    const { recorded, now } = completion;
    lines.push(`  completion  ${recorded.state} ${recorded.reason_code} → ${now.state} ${now.reason_code}`);
  }
  return `${lines.join('\n')}\n`;
}

function short(value: unknown): string {
  const text = printable(JSON.stringify(value) ?? 'nothing');
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
