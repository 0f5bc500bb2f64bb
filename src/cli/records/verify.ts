import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Verification } from '../../record/index.ts';
import { findRun, loadSealKey, readShownRecord, verifyRun } from '../../recording/index.ts';
import { isLost, openJournal, whenSealed } from '../../runs/index.ts';
import type { VerifyOptions } from '../commands/records.ts';
import { openContext } from '../context.ts';
import { formatBytes } from '../output/format.ts';
import { paint } from '../output/paint.ts';

export async function verifyCommand(selector: string, options: VerifyOptions): Promise<number> {
  const context = openContext(options);
  const folder = findRun(context.home.runs, selector);
  // One whose record cannot be read is checked all the same.
  await whenSealed(folder, openJournal(folder, context.config), { recovers: false }).catch(() => {});
  const result = insistOnKey(await verifyRun(folder), options.key);
  const own = existsSync(path.join(context.home.keys, 'seal.ed25519.pem')) ? loadSealKey(context.home.keys).id : null;
  const foreign = result.keys.filter((key) => key !== own);
  if (options.json) {
    const code = { intact: null, changed: 'VERIFY_FAILED', incomplete: 'RECORD_INCOMPLETE' }[result.verdict];
    process.stdout.write(`${JSON.stringify({ run_id: folder.runId, code, ...result, foreign_keys: foreign })}\n`);
  } else {
    process.stdout.write(describe(folder.runId, result, foreign));
    if (result.verdict === 'incomplete') process.stdout.write(advice(folder));
  }
  return result.verdict === 'intact' ? 0 : 1;
}

/** A seal proves that its key's owner signed it; whoever knows which key that must be can insist on it. */
function insistOnKey(result: Verification, key: string | undefined): Verification {
  const others = result.keys.filter((id) => key !== undefined && id !== key);
  if (others.length === 0) return result;
  const problems = others.map((id) => {
    const message = `signed with key ${id}, not with ${key}`;
    return { kind: 'signature' as const, path: 'seal', byte: null, line: null, message };
  });
  return { ...result, verdict: 'changed', problems: [...result.problems, ...problems] };
}

function describe(runId: string, result: Verification, foreign: readonly string[]): string {
  const { events, files, bytes, attempts } = result.checked;
  const counted = `${events} events, ${files} files (${formatBytes(bytes)}), ${attempts} attempt${attempts === 1 ? '' : 's'}`;
  const lines = [];
  if (result.verdict === 'intact') lines.push(`${paint.green('✔ intact')}  ${runId}  ${paint.dim(counted)}`);
  if (result.verdict === 'changed') lines.push(`${paint.red('✖ changed')}  ${runId}  [VERIFY_FAILED]`);
  if (result.verdict === 'incomplete') lines.push(`${paint.yellow('◐ incomplete')}  ${runId}  [RECORD_INCOMPLETE]`);
  for (const problem of result.problems) {
    lines.push(`  ${problem.path}: ${problem.message}`);
  }
  for (const key of foreign) lines.push(paint.dim(`  signed with key ${key}, which is not this installation's`));
  return `${lines.join('\n')}\n`;
}

function advice(folder: Parameters<typeof readShownRecord>[0]): string {
  try {
    const record = readShownRecord(folder);
    if (isLost(record, folder))
      return `  Its recorder died. Complete the record with: tacho recover ${record.handle}\n`;
    if (record.live) return '  It is being recorded right now.\n';
  } catch {
    return '  Its .run.json cannot be read, so nobody knows whether it is still being recorded.\n';
  }
  return '';
}
