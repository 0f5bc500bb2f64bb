import { type LedgerHead, type SinceAnswer, TachoError } from '../../protocol/index.ts';
import { formatHead, parseHead } from '../../record/index.ts';
import { findRun, loadSealKey } from '../../recording/index.ts';
import { ledgerProof, openLedger, verifySince } from '../../runs/index.ts';
import type { LedgerProofOptions, VerifyOptions } from '../commands/proofs.ts';
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

/** Prints a proof that the ledger lists the seals of a run. */
export async function printLedgerProof(selector: string, options: LedgerProofOptions): Promise<void> {
  const { home } = openContext(options);
  const folder = findRun(home.runs, selector);
  const since = options.since === undefined ? undefined : readHead(options.since);
  const proof = await ledgerProof(folder, home, { since });
  if (!proof) {
    throw new TachoError('NOT_FOUND', `the ledger lists no seal of ${folder.runId}`, {
      fix: 'The run is not sealed yet, was recorded by another installation, or is older than the ledger.',
    });
  }
  process.stdout.write(`${JSON.stringify(proof, null, options.json ? 0 : 2)}\n`);
}

/** Checks everything sealed so far against a head that was stored elsewhere. */
export async function checkAllSince(since: string, options: VerifyOptions): Promise<number> {
  const { home } = openContext(options);
  const onProgress = (done: number, of: number) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${of} runs${done === of ? '\r\u001b[K' : ''}`);
  };
  const answer = await verifySince(readHead(since), home, { deep: options.deep ?? false, onProgress });
  process.stdout.write(options.json ? `${JSON.stringify(answer)}\n` : describe(answer));
  return answer.verdict === 'intact' ? 0 : 1;
}

/** The ledger head given with --since. */
export function readHead(text: string): LedgerHead {
  const head = parseHead(text);
  if (head) return head;
  throw new TachoError('USAGE', `--since is not a ledger head: ${JSON.stringify(text.slice(0, 60))}`, {
    fix: 'Give the whole line that `tacho ledger head` printed, in quotes.',
  });
}

function describe({ verdict, since, problems, checked, removed }: SinceAnswer): string {
  const lines = problems.map(({ run_id, attempt, message }) =>
    [run_id === null ? '' : `${run_id}: `, attempt === null ? '' : `the seal of attempt ${attempt} `, message].join(''),
  );
  const facts = [`${count(checked.seals, 'seal')} as listed`];
  if (checked.recovered > 0) facts.push(`${checked.recovered} made by tacho recover`);
  if (checked.newer > 0) facts.push(`${checked.newer} newer than the head`);
  const gone = removed.map(({ run_id, at }) =>
    paint.dim(`${run_id}: removed by tacho prune or a delete request at ${at}`),
  );
  const heading =
    verdict === 'intact'
      ? `${paint.green('✔ intact')}  since entry ${since}  ${paint.dim(facts.join(', '))}`
      : `${paint.red('✖ changed')}  since entry ${since}  [VERIFY_FAILED]`;
  return `${[heading, ...[...lines, ...gone].map((line) => `  ${line}`)].join('\n')}\n`;
}
