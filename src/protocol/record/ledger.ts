import * as z from 'zod';

const hashSchema = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * One line of the ledger of seals. `sealed`: by its recorder; `recovered`: by `tacho recover`, of an attempt whose recorder
 * died; `completed`: the seal was there, and a crash had kept it from being entered; `removed`: the run was pruned.
 */
export const ledgerEntrySchema = z.strictObject({
  n: z.int().nonnegative(),
  at: z.iso.datetime(),
  what: z.enum(['sealed', 'recovered', 'completed', 'removed']),
  run_id: z.string(),
  attempt: z.int().positive().nullable().describe('Null for a run that was removed.'),
  seal: hashSchema.nullable().describe('The sha256 of the seal file. Null for a run that was removed.'),
  previous: hashSchema.describe('The leaf hash of the entry before; of the first, that of no bytes.'),
});
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;

/** The state of a ledger in one line, to be kept elsewhere. */
export interface LedgerHead {
  size: number;
  root: string;
  key: string;
  signature: string;
}

/** Shows, with a head, that a seal is in the ledger. Travels with an exported run. */
export const ledgerProofSchema = z.strictObject({
  format: z.literal('tacho-ledger-proof/1'),
  head: z.string().describe('The line of `tacho ledger head`.'),
  public_key: z.string(),
  entries: z.array(
    z.strictObject({
      line: z.string().describe('The entry, byte for byte.'),
      index: z.int().nonnegative(),
      path: z.array(hashSchema),
    }),
  ),
});
export type LedgerProof = z.infer<typeof ledgerProofSchema>;
