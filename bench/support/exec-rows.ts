import type { Row } from '../row.ts';
import { CODEX_EXEC_SERVER } from './codex-exec-server.ts';

export interface ExecFigure {
  what: string;
  /** Measured in turns; empty for an unavailable peer. */
  taken: Record<'ours' | 'codex' | 'bare', readonly number[]>;
  bareName: string;
  /** Computes the figure from all measurements. */
  figure(taken: readonly number[]): number;
  text(figure: number): string;
  goal: string;
  met(figure: number): boolean;
  note: string;
  /** Why codex is unavailable. */
  problem: string | null;
}

/** One figure compared with codex, with its goal, and with a direct child process. */
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
