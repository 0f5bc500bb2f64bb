import type { DiagnosticCode } from '../../protocol/index.ts';
import { describeError } from '../classify-error.ts';
import { type JsonObject, taken, textOf } from '../json-value.ts';

/** Exit codes of gemini that say more than the message beside them. */
const EXIT_CODES: Readonly<Record<number, DiagnosticCode>> = {
  41: 'ENGINE_AUTH_REQUIRED',
  55: 'ENGINE_NOT_TRUSTED',
};

export interface ToldFailure {
  code: DiagnosticCode;
  message: string;
  facts: Record<string, unknown>;
}

/** An error object of gemini: `type`, `message`, and `code`, which is an HTTP status or an exit code. */
export function failureOf(text: string, { type, code }: JsonObject): ToldFailure {
  const number = typeof code === 'number' ? code : null;
  const known = number !== null && Object.hasOwn(EXIT_CODES, number) ? EXIT_CODES[number] : undefined;
  const described = describeError(text, { status: isStatus(number) ? number : null, kinds: [textOf(type)] });
  return {
    code: known ?? described.code,
    message: described.message,
    facts: {
      ...(type === undefined ? {} : { error_type: taken(type) }),
      ...(code === undefined ? {} : { error_code: taken(code) }),
      ...described.facts,
    },
  };
}

function isStatus(code: number | null): boolean {
  return code !== null && code >= 400 && code < 600;
}
