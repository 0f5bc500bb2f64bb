import { DIAGNOSTIC_CODES, type DiagnosticCode } from '../../../src/protocol/index.ts';
import { diagnostics as diagnosticTexts } from '../../text/sections/diagnostics.ts';

/** What a code means, in one sentence. */
export function diagnosticMeaning(code: string): readonly [string, string] {
  return isKnown(code) ? [DIAGNOSTIC_CODES[code], diagnosticTexts.meanings[code]] : diagnosticTexts.unknownCode;
}

function isKnown(code: string): code is DiagnosticCode {
  return Object.hasOwn(DIAGNOSTIC_CODES, code);
}
