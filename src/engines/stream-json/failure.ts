import { type DescribedError, describeError } from '../classify-error.ts';
import type { Drafter } from '../drafter.ts';
import type { Unit } from '../unit.ts';

/** A failure as the engine describes it before its result. */
export interface Failure {
  /** The engine's own word for it. */
  kind: string | null;
  /** A more precise one beside it. */
  cause?: string | null;
  message: string;
}

/** An error the engine reported as an assistant message; the result that follows reports it as an error. */
export interface HeldFailure {
  hold(failure: Failure, unit: Unit): void;
  /** The engine has overcome it: the model answers again. */
  drop(): void;
  /** A result has come; some versions call it a success all the same. */
  take(): Failure | null;
  /** No result came. */
  tell(): void;
}

/** Words of claude for errors that are the fault of the request. Of these, only one that is too long has a class. */
const FAULTY_REQUESTS = new Set(['invalid_request', 'max_output_tokens']);

export function createHeldFailure(draft: Drafter): HeldFailure {
  let held: (Failure & { unit: Unit }) | null = null;

  return {
    hold(failure, unit) {
      held = { ...failure, unit };
    },
    drop() {
      held = null;
    },
    take() {
      const taken = held;
      held = null;
      return taken;
    },
    tell() {
      if (!held) return;
      const { code, message, facts } = describeFailure(held.message, held);
      draft.error(code, message, held.unit, facts);
      held = null;
    },
  };
}

/** What a failure is about: by the engine's words for it, the HTTP status, or the text, in this order. */
export function describeFailure(
  text: string,
  { kind, cause = null, status = null }: Omit<Failure, 'message'> & { status?: number | null },
): DescribedError {
  const described = describeError(text, { status, kinds: [cause, kind] });
  if (kind === null || !FAULTY_REQUESTS.has(kind) || described.facts.error_class === 'context') return described;
  const { error_class: _other, ...facts } = described.facts;
  return { ...described, code: 'ENGINE_ERROR', facts };
}
