/** How many entries a snapshot may read, and for how long. */
export interface SnapshotLimits {
  entries: number;
  milliseconds: number;
}

/** Why a folder was not listed, or a file not hashed. Used in place of the error of a system call. */
export const NOT_COVERED = ['OTHER_FILE_SYSTEM', 'ENTRY_LIMIT', 'TIME_LIMIT'] as const;
export type NotCoveredReason = (typeof NOT_COVERED)[number];

export function isNotCovered(error: string | null | undefined): error is NotCoveredReason {
  return NOT_COVERED.some((reason) => reason === error);
}

/**
 * Shares of the time limit. Listing a file is cheap, hashing its content is not; the rest is for writing the snapshot.
 */
const HASHING_SHARE = 0.5;
const LISTING_SHARE = 0.75;

/** The remaining limits of one snapshot. */
export interface Allowance {
  mayHash(): boolean;
  /** When to stop listing, on the clock of `performance.now()`. */
  readonly until: number;
  entriesLeft: number;
}

export function startAllowance({ entries, milliseconds }: Partial<SnapshotLimits>): Allowance {
  const start = performance.now();
  const share = (part: number) => start + (milliseconds ?? Number.POSITIVE_INFINITY) * part;
  const hashUntil = share(HASHING_SHARE);
  return {
    mayHash: () => performance.now() < hashUntil,
    until: share(LISTING_SHARE),
    entriesLeft: entries ?? Number.POSITIVE_INFINITY,
  };
}
