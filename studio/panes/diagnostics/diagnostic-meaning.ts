import { DIAGNOSTIC_CODES, type DiagnosticCode } from '../../../src/protocol/index.ts';
import { strings } from '../../text/strings.ts';

/** What a code means, in one sentence. */
export function diagnosticMeaning(code: string): readonly [string, string] {
  return isKnown(code) ? [DIAGNOSTIC_CODES[code], strings.diagnostics.meanings[code]] : strings.diagnostics.unknownCode;
}

function isKnown(code: string): code is DiagnosticCode {
  return Object.hasOwn(DIAGNOSTIC_CODES, code);
}
