import { TachoError } from '../protocol/error-code.ts';
import { errnoOf, isOutOfDescriptors } from './errno.ts';

/** What to tell whoever asked when no descriptor was left: nothing is wrong with the request. Null for other errors. */
export function descriptorShortage(who: 'command' | 'daemon' | 'server', cause: unknown): TachoError | null {
  if (!isOutOfDescriptors(cause)) return null;
  return new TachoError('RESOURCE_PRESSURE', `the ${who} has no free file descriptors`, {
    facts: { errno: errnoOf(cause) },
    cause,
    fix: 'Retry later. If this lasts, close connections or sessions, or raise the limit of open files (ulimit -n).',
  });
}
