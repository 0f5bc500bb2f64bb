import type { VerificationAnswer } from '../../protocol/index.ts';
import { printable } from '../../record/printable.ts';
import { findRun, readShownRecord } from '../../recording/index.ts';
import { isLost, openJournal, verifyInPlace, whenSealed } from '../../runs/index.ts';
import type { VerifyOptions } from '../commands/proofs.ts';
import { openContext } from '../context.ts';
import { fitLine } from '../output/fit-line.ts';
import { formatBytes } from '../output/format.ts';
import { paint } from '../output/paint.ts';

export async function verifyCommand(selector: string, options: VerifyOptions): Promise<number> {
  const context = openContext(options);
  const folder = findRun(context.home.runs, selector);
  // An unreadable record is still verified.
  await whenSealed(folder, openJournal(folder, context.config), { recovers: false }).catch(() => {});
  const result = requireKey(await verifyInPlace(folder, context.home), options.key);
  if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else {
    process.stdout.write(describe(result));
    if (result.verdict === 'incomplete') process.stdout.write(advice(folder));
  }
  return result.verdict === 'intact' ? 0 : 1;
}

/** A seal proves that the key's owner signed it; a caller that knows the key can require it. */
function requireKey(result: VerificationAnswer, key: string | undefined): VerificationAnswer {
  const others = result.keys.filter((id) => key !== undefined && id !== key);
  if (others.length === 0) return result;
  const problems = others.map((id) => {
    const message = `signed with key ${id}, not with ${key}`;
    return { kind: 'signature' as const, path: 'seal', byte: null, line: null, message };
  });
  return { ...result, code: 'VERIFY_FAILED', verdict: 'changed', problems: [...result.problems, ...problems] };
}

function describe({ run_id: runId, ...result }: VerificationAnswer): string {
  const { events, files, bytes, attempts } = result.checked;
  const counted = `${events} events, ${files} files (${formatBytes(bytes)})${attempts > 1 ? `, ${attempts} attempts` : ''}`;
  const lines = [];
  if (result.verdict === 'intact') lines.push(`${paint.green('✔ intact')}  ${runId}  ${paint.dim(counted)}`);
  if (result.verdict === 'changed') lines.push(`${paint.red('✖ changed')}  ${runId}  [VERIFY_FAILED]`);
  if (result.verdict === 'incomplete') lines.push(`${paint.yellow('◐ incomplete')}  ${runId}  [RECORD_INCOMPLETE]`);
  for (const problem of result.problems) {
    lines.push(`  ${problem.path}: ${problem.message}`);
  }
  const notes = [
    ...(result.source === null
      ? []
      : [
          `${result.source.kind}: read from ${printable(result.source.path)}, not recorded by tacho; the seals prove that what was read has not changed since`,
        ]),
    ...result.recovered.map((attempt) => `attempt ${attempt}: recorder died; completed and sealed by tacho recover`),
    ...result.older_than_ledger.map(
      (attempt) => `attempt ${attempt}: sealed before the ledger began, so not listed in it`,
    ),
    ...result.foreign_keys.map((key) => `signed with key ${key}, which is not this installation's`),
    ...(result.ledger_head === null ? [] : [`listed in the ledger with head ${result.ledger_head}`]),
  ];
  lines.push(...notes.map((note) => paint.dim(`  ${note}`)));
  return `${lines.map((line) => fitLine(line, process.stdout, 4)).join('\n')}\n`;
}

function advice(folder: Parameters<typeof readShownRecord>[0]): string {
  try {
    const record = readShownRecord(folder);
    if (isLost(record, folder))
      return `  Its recorder died. Complete the record with: tacho recover ${record.handle}\n`;
    if (record.live) return '  It is being recorded right now.\n';
  } catch {
    return '  Its .run.json cannot be read, so it is unknown whether it is still being recorded.\n';
  }
  return '';
}
