import type { PolicyDecision } from '../../protocol/index.ts';

/** A judgement about one thing that a call does. */
export interface Piece {
  decision: PolicyDecision;
  reason: string;
  /** Index of the rule that says so; null if none does. */
  rule: number | null;
  /**
   * `default`: nothing speaks against it but that no rule decides, so that a rule could allow it. `fixed`: no rule can
   * allow it. `rule`: a rule says so.
   */
  from: 'rule' | 'default' | 'fixed';
}

const STRICTNESS: Readonly<Record<PolicyDecision, number>> = { allow: 0, ask: 1, deny: 2 };

export function isStricter(one: PolicyDecision, other: PolicyDecision): boolean {
  return STRICTNESS[one] > STRICTNESS[other];
}

export function strictest(pieces: readonly Piece[]): Piece | null {
  let found: Piece | null = null;
  for (const piece of pieces) if (!found || isStricter(piece.decision, found.decision)) found = piece;
  return found;
}
