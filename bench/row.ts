/** One figure of the performance table: ours next to a peer's, measured in the same run. */
export interface Row {
  what: string;
  ours: string;
  peer: string;
  peerName: string;
  /** Ours divided by the peer's, in the unit of the figure; null if they cannot be compared. */
  ratio: number | null;
  goal: string;
  /** Null for a row without a goal. */
  met: boolean | null;
  note?: string;
}
