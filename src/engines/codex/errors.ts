import { describeError } from '../classify-error.ts';
import type { Drafter } from '../drafter.ts';
import type { Unit } from '../unit.ts';

export interface ErrorReader {
  turnStarted(): void;
  /** Not an end: codex prints it before every attempt to reconnect, and once more before `turn.failed`. */
  error(message: string, unit: Unit): void;
  turnFailed(message: string | null, unit: Unit): void;
}

/** Errors of a turn, each told once: the end of the turn repeats the last one. */
export function createErrorReader(draft: Drafter): ErrorReader {
  let told: string | null = null;

  function tell(text: string, unit: Unit): void {
    const { code, message, facts } = describeError(text);
    draft.error(code, message, unit, facts);
    told = text;
  }

  return {
    turnStarted() {
      told = null;
    },
    error(text, unit) {
      if (/^Reconnecting/.test(text)) draft.error('ENGINE_RETRY', text, unit);
      else tell(text, unit);
    },
    turnFailed(text, unit) {
      if (text === null ? told === null : text !== told) tell(text ?? 'the turn failed', unit);
    },
  };
}
