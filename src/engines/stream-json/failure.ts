import type { DiagnosticCode } from '../../protocol/index.ts';
import { classifyError } from '../classify-error.ts';
import type { Drafter } from '../drafter.ts';
import type { Unit } from '../unit.ts';

/** An error the engine reported as an assistant message; the result that follows reports it as an error. */
export interface HeldFailure {
  hold(kind: string | null, message: string, unit: Unit): void;
  /** A result has come. */
  drop(): void;
  /** No result came. */
  tell(): void;
}

const KINDS: Readonly<Record<string, DiagnosticCode>> = {
  authentication_failed: 'ENGINE_AUTH_REQUIRED',
  oauth_org_not_allowed: 'ENGINE_AUTH_REQUIRED',
  rate_limit: 'ENGINE_RATE_LIMITED',
};

export function createHeldFailure(draft: Drafter): HeldFailure {
  let held: { code: DiagnosticCode; message: string; unit: Unit } | null = null;

  return {
    hold(kind, message, unit) {
      const code = kind !== null && Object.hasOwn(KINDS, kind) ? KINDS[kind]! : classifyError(message);
      held = { code, message, unit };
    },
    drop() {
      held = null;
    },
    tell() {
      if (held) draft.error(held.code, held.message, held.unit);
      held = null;
    },
  };
}
