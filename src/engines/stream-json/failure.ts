import type { DiagnosticCode } from '../../protocol/index.ts';
import { classifyError } from '../classify-error.ts';
import type { Drafter } from '../drafter.ts';
import type { Unit } from '../unit.ts';

export interface Failure {
  code: DiagnosticCode;
  message: string;
}

/** An error the engine reported as an assistant message; the result that follows reports it as an error. */
export interface HeldFailure {
  hold(kind: string | null, message: string, unit: Unit): void;
  /** The engine has overcome it: the model answers again. */
  drop(): void;
  /** A result has come; some versions call it a success all the same. */
  take(): Failure | null;
  /** No result came. */
  tell(): void;
}

const KINDS: Readonly<Record<string, DiagnosticCode>> = {
  authentication_failed: 'ENGINE_AUTH_REQUIRED',
  oauth_org_not_allowed: 'ENGINE_AUTH_REQUIRED',
  rate_limit: 'ENGINE_RATE_LIMITED',
  billing_error: 'ENGINE_RATE_LIMITED',
  invalid_request: 'ENGINE_ERROR',
  server_error: 'ENGINE_ERROR',
  overloaded: 'ENGINE_ERROR',
  max_output_tokens: 'ENGINE_ERROR',
};

export function createHeldFailure(draft: Drafter): HeldFailure {
  let held: (Failure & { unit: Unit }) | null = null;

  return {
    hold(kind, message, unit) {
      const code = kind !== null && Object.hasOwn(KINDS, kind) ? KINDS[kind]! : classifyError(message);
      held = { code, message, unit };
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
      if (held) draft.error(held.code, held.message, held.unit);
      held = null;
    },
  };
}
