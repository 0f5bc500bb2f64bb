import { DIAGNOSTIC_CODES, ERROR_MEANINGS, type ErrorCode, type FcmpMessage } from '../protocol/index.ts';

type Failure = FcmpMessage<'conversation.failed'>['data']['error'];

/** Errors of the attempt that may explain its failure; the last ones. */
export interface KnownErrors {
  engine: string | null;
  runtime: { code: string; message: string } | null;
}

/** Reasons tacho gives for the end of an attempt that are neither error codes nor diagnostic codes. */
const REASONS: Readonly<Record<string, string>> = {
  EXIT_NONZERO: 'The program ended with an exit code other than 0.',
  SIGNALED: 'The program was ended by a signal.',
  HARD_TIMEOUT: 'The run took longer than allowed and was ended.',
  NO_PROGRESS: 'The program printed nothing for longer than allowed and was ended.',
  OUTPUT_CAP: 'The program printed more than allowed and was ended.',
  DISK_FULL: 'The disk was full.',
  RECORDING_FAILED: 'The recording failed, so the program was ended.',
  BUDGET_EXCEEDED: 'The budget of the run was used up.',
  CANCELED: 'The run was canceled.',
};

export function failureOf(code: string, errors: KnownErrors): Failure {
  return { category: categoryOf(code), code, message: messageOf(code, errors) };
}

function categoryOf(code: string): Failure['category'] {
  if (code.startsWith('ENGINE_') || code === 'EXIT_NONZERO' || code === 'SIGNALED') return 'engine';
  if (code.startsWith('DONE_') || code === 'OUTPUT_INVALID' || code === 'INCOMPLETE_STATE_CLASSIFICATION')
    return 'parser';
  if (code.startsWith('CANCELED') || code.startsWith('BUDGET')) return 'user';
  return 'runtime';
}

/** The engine's own message says most; the general sentence of a code is the last resort. */
function messageOf(code: string, { engine, runtime }: KnownErrors): string {
  if (engine !== null) return engine;
  if (runtime?.code === code) return runtime.message;
  if (Object.hasOwn(DIAGNOSTIC_CODES, code)) return DIAGNOSTIC_CODES[code as keyof typeof DIAGNOSTIC_CODES];
  if (Object.hasOwn(ERROR_MEANINGS, code)) return ERROR_MEANINGS[code as ErrorCode];
  return Object.hasOwn(REASONS, code) ? REASONS[code]! : `The run failed (${code}).`;
}
