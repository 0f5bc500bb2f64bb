import {
  LEDGER_PROOF_FILE,
  type LedgerEntry,
  type LedgerHead,
  type LedgerProof,
  ledgerEntrySchema,
  ledgerProofSchema,
} from '../../protocol/index.ts';
import { readText } from '../file-pieces.ts';
import { isConsistent, isIncluded, leafHash } from '../merkle.ts';
import { type RecordFiles, withFile } from '../record-files.ts';
import type { LedgerView } from './check-ledger.ts';
import { type Problem, problem } from './checking.ts';
import { parseHead, signedText } from './ledger-head.ts';
import { keyIdOf, parseJson } from './seals.ts';

const MAX_PROOF_BYTES = 64 * 1024 * 1024;

/** The facts shown by the proof in an exported record; null if there is none, or if it proves nothing. */
export async function readLedgerProof(
  files: RecordFiles,
  problems: Problem[],
): Promise<{ view: LedgerView; head: string } | null> {
  if (!(await files.names()).includes(LEDGER_PROOF_FILE)) return null;
  const text = await withFile(files, LEDGER_PROOF_FILE, async (file) => file && readText(file, MAX_PROOF_BYTES));
  const parsed = ledgerProofSchema.safeParse(parseJson(text ?? ''));
  const refuse = (message: string) => {
    problems.push(problem('signature', LEDGER_PROOF_FILE, message));
    return null;
  };
  if (!parsed.success) return refuse('not a readable proof');
  const proof = parsed.data;
  const head = parseHead(proof.head);
  if (!head) return refuse('its head is not the head of a ledger');
  const signature = await checkHead(files, head, proof.public_key);
  if (signature === 'wrong') return refuse('the signature of its head does not fit');
  if (signature === 'unknown') {
    const message = 'ed25519 signatures cannot be checked here; use tacho verify';
    problems.push(problem('unchecked', LEDGER_PROOF_FILE, message));
  }
  const entries = provenEntries(files, proof, head);
  if (typeof entries === 'string') return refuse(entries);
  const wrong = await differentEarlier(files, proof, head);
  if (wrong) return refuse(wrong);
  const own = entries.filter(({ run_id }) => run_id === files.runId);
  if (own.length === 0) return refuse('the proof of another run');
  const began = entries.find(({ n }) => n === 0)?.at ?? own[0]!.at;
  return { view: { entries: own, began, announced: false }, head: proof.head };
}

/** The entries, if each is in the tree of the head; otherwise the problem. */
function provenEntries({ sha256 }: RecordFiles, { entries }: LedgerProof, head: LedgerHead): LedgerEntry[] | string {
  const proven: LedgerEntry[] = [];
  for (const { line, path } of entries) {
    const entry = ledgerEntrySchema.safeParse(parseJson(line)).data;
    if (!entry) return 'one of its entries is not an entry';
    const leaf = leafHash(new TextEncoder().encode(line), sha256);
    if (!isIncluded(leaf, entry.n, head, path, sha256)) return `entry ${entry.n} is not in the ledger of its head`;
    proven.push(entry);
  }
  return proven.sort((one, other) => one.n - other.n);
}

/** The problem with an earlier head; null if the ledger only grew since all of them. */
async function differentEarlier(files: RecordFiles, proof: LedgerProof, head: LedgerHead): Promise<string | null> {
  for (const { head: line, path } of proof.earlier ?? []) {
    const earlier = parseHead(line);
    if (!earlier || (await checkHead(files, earlier, proof.public_key)) === 'wrong') {
      return 'the signature of an earlier head does not fit';
    }
    if (!isConsistent(earlier, head, path, files.sha256)) {
      return `the first ${earlier.size} entries of the ledger are not those it had`;
    }
  }
  return null;
}

/** Whether a head was signed with a key, and the key has the id that the head names. */
export async function checkHead(
  files: Pick<RecordFiles, 'sha256' | 'verifySignature'>,
  head: LedgerHead,
  publicKey: string,
) {
  if (keyIdOf(files, publicKey) !== head.key) return 'wrong';
  const key = { algorithm: 'ed25519' as const, id: head.key, public_key: publicKey };
  const bytes = new TextEncoder().encode(signedText(head));
  return files.verifySignature({ bytes, signature: fromBase64Url(head.signature), key });
}

function fromBase64Url(text: string): string {
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/');
  return base64.padEnd(Math.ceil(base64.length / 4) * 4, '=');
}
