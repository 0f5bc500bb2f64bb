import type { DiagnosticCode } from '../protocol/index.ts';
import { causeOf } from './error-cause.ts';
import { classOf, type ErrorClass } from './error-class.ts';

const CODES: Readonly<Record<ErrorClass, DiagnosticCode>> = {
  auth: 'ENGINE_AUTH_REQUIRED',
  rate_limit: 'ENGINE_RATE_LIMITED',
  usage_limit: 'ENGINE_RATE_LIMITED',
  context: 'ENGINE_ERROR',
  network: 'ENGINE_ERROR',
  server: 'ENGINE_ERROR',
};

/** An error as an event has it. */
export interface DescribedError {
  code: DiagnosticCode;
  message: string;
  facts: { error_class?: ErrorClass; status_code?: number };
}

/** An engine's error from the text in which it passes it on, and from the fields beside it. */
export function describeError(
  text: string,
  told: { status?: number | null; kinds?: readonly (string | null)[] } = {},
): DescribedError {
  const cause = causeOf(text);
  const status = told.status ?? cause.status;
  const kinds = [...(told.kinds ?? []), ...cause.kinds].filter((kind) => kind !== null);
  const error_class = classOf({ message: cause.message, status, kinds });
  return {
    code: error_class === null ? 'ENGINE_ERROR' : CODES[error_class],
    message: cause.message,
    facts: {
      ...(error_class === null ? {} : { error_class }),
      ...(status === null ? {} : { status_code: status }),
    },
  };
}

/** What a message alone is about. */
export function classifyError(message: string): DiagnosticCode {
  return describeError(message).code;
}
