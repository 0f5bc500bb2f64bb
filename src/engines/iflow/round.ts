import type { OutputStream } from '../../protocol/index.ts';
import type { Drafter } from '../drafter.ts';
import { type ExecutionInfo, readExecutionInfo } from '../execution-info.ts';
import type { Timed } from '../timed.ts';
import type { Unit } from '../unit.ts';
import { PAUSE_MS } from './message.ts';
import type { Piece } from './piece.ts';
import { textOfPiece } from './text-of-piece.ts';

/** A round of the engine's work: from its first word to its execution info, and what is still on its way then. */
export interface Round extends Timed {
  /** The info was seen; messages wait for their last lines. */
  readonly ending: boolean;
  info(piece: Piece, closed: boolean): void;
  end(): void;
}

export interface RoundSurface {
  draft: Drafter;
  keep(piece: Piece): void;
  /** Found on another stream than the usual one. */
  drift(what: string, usual: OutputStream, unit: Unit): void;
  /** When bytes were last read. */
  now(): number;
  /** Ends all messages. */
  finishMessages(): void;
}

export function createRound({ draft, keep, drift, now, finishMessages }: RoundSurface): Round {
  /** Told when the messages are: an info on one stream may be read before the last of the text on the other. */
  let untold: { info: ExecutionInfo; unit: Unit } | null = null;

  function read(piece: Piece, closed: boolean): void {
    const { unit } = piece;
    const info = readExecutionInfo(textOfPiece(piece));
    drift('execution_info', 'stderr', unit);
    const misread = info.misread ?? (closed ? null : { event_type: 'execution_info', problem: 'unexpected shape' });
    if (misread) {
      if (misread.problem !== 'unknown fields') keep(piece);
      draft.warning('UNPARSED_CONTENT', unit, { ...misread });
    }
    if (info.session !== null && info.session !== draft.session) draft.openSession(info.session, 'session-id', unit);
    if (!closed || (info.session === null && info.usage === null)) return;
    if (untold) tell();
    untold = { info, unit };
  }

  function tell(): void {
    const { info, unit } = untold!;
    untold = null;
    const { session, usage, conversation, stopped } = info;
    if (stopped !== null) draft.error('ENGINE_ERROR', `the engine stopped: ${stopped}`, unit, { reason: stopped });
    const told = { ...(session === null ? {} : { session_id: session }), ...(usage ? { usage } : {}) };
    const correlation = conversation === null ? {} : { conversation_id: conversation };
    draft.event('lifecycle.run.status', { status: 'running', phase: 'execution_info', ...told }, unit, { correlation });
  }

  function end(): void {
    finishMessages();
    if (untold) tell();
  }

  return {
    get ending() {
      return untold !== null;
    },
    info: read,
    end,
    deadline: () => (untold ? now() + PAUSE_MS : Number.POSITIVE_INFINITY),
    fire: end,
  };
}
