import type { LedgerHead, LedgerProof } from '../protocol/index.ts';
import { formatHead } from '../record/index.ts';
import type { SealKey } from '../recording/index.ts';
import type { Ledger } from './ledger.ts';

interface Wanted {
  runId: string;
  key: SealKey;
  /** A head that was kept elsewhere: the proof also shows that the ledger still begins as it did then. */
  since?: LedgerHead | undefined;
}

/** Shows to others that the ledger lists the seals of a run. Null for a run of which it lists none. */
export async function proofOf(ledger: Ledger, { runId, key, since }: Wanted): Promise<LedgerProof | null> {
  return ledger.read((reader) => {
    const own = reader.entriesOf(runId, key);
    if (own.length === 0) return null;
    const proven = own[0]!.entry.n === 0 ? own : [reader.first!, ...own];
    reader.ensureIncluded(proven);
    return {
      format: 'tacho-ledger-proof/1',
      head: formatHead(reader.head(key)),
      public_key: key.publicKey,
      entries: proven.map(({ entry, line }) => ({
        line: line.toString(),
        path: reader.inclusionOf(entry.n),
      })),
      ...(since && since.size <= reader.size
        ? { earlier: [{ head: formatHead(since), path: reader.consistencyWith(since.size) }] }
        : {}),
    };
  });
}
