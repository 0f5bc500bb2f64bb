import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares in a time that does not reveal how much of the given secret is right. */
export function createSecretCheck(secret: string): (shown: string) => boolean {
  const right = digest(secret);
  return (shown) => timingSafeEqual(right, digest(shown));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
