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
  /** Null, as the seal, for a run that was removed. */
  attempt: z.int().positive().nullable(),
  /** The sha256 of the seal file. */
  seal: hashSchema.nullable(),
  /** The leaf hash of the entry before; of the first, that of no bytes. */
  previous: hashSchema,
});
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;

/** The state of a ledger in one line, to be kept elsewhere. */
export interface LedgerHead {
  size: number;
  root: string;
  key: string;
  signature: string;
}

/**
 * `ledger-proof.json`: shows that the ledger lists the seals of a run, by what leads from each entry to a signed head; and
 * that the ledger only grew since earlier heads. Travels with an exported record.
 */
export const ledgerProofSchema = z.strictObject({
  format: z.literal('tacho-ledger-proof/1'),
  /** The line of `tacho ledger head`. */
  head: z.string(),
  /** SPKI, base64. */
  public_key: z.string(),
  /** Every entry of the run, byte for byte, and the first of the ledger, which says when it began; with what leads to the root. */
  entries: z.array(z.strictObject({ line: z.string(), path: z.array(hashSchema) })),
  /** Heads that were kept elsewhere, with what shows that the ledger still begins as it did then. */
  earlier: z.array(z.strictObject({ head: z.string(), path: z.array(hashSchema) })).optional(),
});
export type LedgerProof = z.infer<typeof ledgerProofSchema>;
