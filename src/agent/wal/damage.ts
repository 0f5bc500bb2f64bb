import { TachoError } from '../../protocol/index.ts';

/** `line` counts from 0, as `append` does. */
export function damaged(
  path: string,
  { line, byte, reason }: { line?: number; byte?: number; reason: string },
): TachoError {
  const where = line === undefined ? '' : ` line ${line} (byte ${byte}):`;
  return new TachoError('JOURNAL_DAMAGED', `${path}:${where} ${reason}`, {
    facts: { path, reason, ...(line === undefined ? {} : { line, byte_offset: byte }) },
    fix: 'Restore the folder of the run from a copy, or start a new run.',
  });
}
