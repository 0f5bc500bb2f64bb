import type { Row } from '../row.ts';
import { CODEX_EXEC_SERVER } from './codex-exec-server.ts';

export interface ExecFigure {
  what: string;
  /** Measured in turn; nothing of a peer that is not to be had. */
  taken: Record<'ours' | 'codex' | 'bare', readonly number[]>;
  bareName: string;
  /** Of all that was measured, the figure that counts. */
  figure(taken: readonly number[]): number;
  text(figure: number): string;
  goal: string;
  met(figure: number): boolean;
  note: string;
  /** Why codex is not to be had. */
  problem: string | null;
}

/** One figure beside that of codex, with its goal, and beside what the machine does without anything between. */
export function execRows({ what, taken, bareName, figure, text, goal, met, note, problem }: ExecFigure): Row[] {
  const ours = figure(taken.ours);
  const beside = (peerName: string, peer: readonly number[]) => ({
    what,
    ours: text(ours),
    peer: peer.length === 0 ? '–' : text(figure(peer)),
    peerName,
    ratio: peer.length === 0 ? null : ours / figure(peer),
  });
  return [
    { ...beside(CODEX_EXEC_SERVER, taken.codex), goal, met: met(ours), note: problem ?? note },
    { ...beside(bareName, taken.bare), goal: '–', met: null },
  ];
}
