import { randomUUID } from 'node:crypto';

/** An id as services give them: a prefix that tells its kind, and chance. */
export function wireId(prefix: string): string {
  return `${prefix}${randomUUID().replaceAll('-', '').slice(0, 24)}`;
}
