/** One figure of the performance table: ours beside a peer's, measured in the same run. */
export interface Row {
  what: string;
  ours: string;
  peer: string;
  peerName: string;
  /** Ours over the peer's, in the unit of the figure; null where they cannot be compared. */
  ratio: number | null;
  goal: string;
  /** Null where the row has no goal of its own. */
  met: boolean | null;
  note?: string;
}
