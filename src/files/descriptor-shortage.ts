import { TachoError } from '../protocol/error-code.ts';
import { errnoOf, isOutOfDescriptors } from './errno.ts';

/** The error to report when descriptors ran out, which is not the fault of the request. Null for other errors. */
export function descriptorShortage(who: 'command' | 'daemon' | 'server', cause: unknown): TachoError | null {
  if (!isOutOfDescriptors(cause)) return null;
  return new TachoError('RESOURCE_PRESSURE', `the ${who} has no free file descriptors`, {
    facts: { errno: errnoOf(cause) },
    cause,
    fix: 'Retry later. If this lasts, close connections or sessions, or raise the limit of open files (ulimit -n).',
  });
}
