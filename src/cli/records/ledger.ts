import { verify } from 'node:crypto';
import path from 'node:path';
import { checkSince, type SinceReport } from '../../ledger/index.ts';
import { type LedgerHead, TachoError } from '../../protocol/index.ts';
import { formatHead, parseHead, signedText } from '../../record/index.ts';
import { listRunIds, loadSealKey, runFolderAt } from '../../recording/index.ts';
import { type DataHome, openLedger, verifyInPlace } from '../../runs/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';
import { count } from '../output/format.ts';
import { paint } from '../output/paint.ts';

/** The state of the ledger in one line. */
export async function ledgerHead(options: CommonOptions): Promise<void> {
  const { home } = openContext(options);
  const key = loadSealKey(home.keys);
  const head = await openLedger(home).read((reader) => reader.head(key));
  const line = formatHead(head);
  process.stdout.write(options.json ? `${JSON.stringify({ ...head, head: line })}\n` : `${line}\n`);
}

/** Checks everything that was sealed against a head that was kept somewhere else. */
export async function verifySince(text: string, options: CommonOptions & { deep?: boolean }): Promise<number> {
  const { home } = openContext(options);
  const head = readHead(text);
  const report = await checkSince(openLedger(home), head, home.runs);
  if (!isSigned(head, loadSealKey(home.keys))) {
    const message = `the head was signed with key ${head.key}, which is not this installation's`;
    report.problems.unshift({ run_id: null, attempt: null, message });
    report.verdict = 'changed';
  }
  if (options.deep) await rehash(report, home);
  const code = report.verdict === 'intact' ? null : 'VERIFY_FAILED';
  if (options.json) process.stdout.write(`${JSON.stringify({ code, since: head.size, ...report })}\n`);
  else process.stdout.write(describe(report, head));
  return report.verdict === 'intact' ? 0 : 1;
}

/** Every byte of every run that the ledger lists. */
async function rehash(report: SinceReport, home: DataHome): Promise<void> {
  const runs = listRunIds(home.runs);
  for (const [index, runId] of runs.entries()) {
    if (process.stderr.isTTY) process.stderr.write(`\r${index + 1} of ${runs.length} runs`);
    const { verdict, problems } = await verifyInPlace(runFolderAt(path.join(home.runs, runId)), home);
    if (verdict !== 'changed') continue;
    report.verdict = 'changed';
    for (const { path: file, message } of problems)
      report.problems.push({ run_id: runId, attempt: null, message: `${file}: ${message}` });
  }
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
}

function readHead(text: string): LedgerHead {
  const head = parseHead(text);
  if (head) return head;
  throw new TachoError('USAGE', `--since ${JSON.stringify(text.slice(0, 60))}: not the head of a ledger`, {
    fix: 'Give the whole line that `tacho ledger head` printed, in quotes.',
  });
}

function isSigned(head: LedgerHead, { id, privateKey }: ReturnType<typeof loadSealKey>): boolean {
  return (
    head.key === id && verify(null, Buffer.from(signedText(head)), privateKey, Buffer.from(head.signature, 'base64url'))
  );
}

function describe({ verdict, problems, checked }: SinceReport, { size }: LedgerHead): string {
  const told = [`${count(checked.seals, 'seal')} as listed`];
  if (checked.removed > 0) told.push(`${count(checked.removed, 'run')} removed by tacho prune`);
  if (checked.recovered > 0) told.push(`${checked.recovered} made by tacho recover`);
  if (checked.newer > 0) told.push(`${checked.newer} newer than the head`);
  if (verdict === 'intact') return `${paint.green('✔ intact')}  since entry ${size}  ${paint.dim(told.join(', '))}\n`;
  const lines = problems.map(({ run_id, attempt, message }) =>
    [run_id === null ? '' : `${run_id}: `, attempt === null ? '' : `the seal of attempt ${attempt} `, message].join(''),
  );
  return `${paint.red('✖ changed')}  since entry ${size}  [VERIFY_FAILED]\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
