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

/**
 * `ledger-proof.json`: shows that the ledger lists the seals of a run, by what leads from each entry to a signed head; and
 * that the ledger only grew since earlier heads. Travels with an exported record.
 */
export const ledgerProofSchema = z.strictObject({
  format: z.literal('tacho-ledger-proof/1'),
  head: z.string().describe('The line of `tacho ledger head`.'),
  public_key: z.string().describe('SPKI, base64.'),
  entries: z
    .array(
      z.strictObject({
        line: z.string().describe('The entry, byte for byte.'),
        path: z.array(hashSchema).describe('What leads to the root of the head.'),
      }),
    )
    .describe('Every entry of the run, and the first of the ledger, which says when it began.'),
  earlier: z
    .array(z.strictObject({ head: z.string(), path: z.array(hashSchema) }))
    .optional()
    .describe('Heads that were kept elsewhere, with what shows that the ledger still begins as it did then.'),
});
export type LedgerProof = z.infer<typeof ledgerProofSchema>;
