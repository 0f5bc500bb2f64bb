import { TachoError } from '../../protocol/index.ts';
import { nextAttempt, type RunFolder } from '../../recording/index.ts';

/** The given attempt, or the last one. */
export function chooseAttempt(folder: RunFolder, text: string | undefined): number {
  const last = nextAttempt(folder) - 1;
  const attempt = text === undefined ? last : Number(text);
  if (Number.isInteger(attempt) && attempt >= 1 && attempt <= last) return attempt;
  throw new TachoError('ATTEMPT_NOT_FOUND', `${folder.runId} has no attempt ${text ?? 'at all'}`, {
    facts: { attempt: text ?? null, attempts: last },
    fix: last === 0 ? 'Its recorder died before it could write anything.' : `Attempts are numbered 1 to ${last}.`,
  });
}
