import { randomUUID } from 'node:crypto';

/** An id in the style of services: a prefix for its kind, then random characters. */
export function wireId(prefix: string): string {
  return `${prefix}${randomUUID().replaceAll('-', '').slice(0, 24)}`;
}
