import { ModelFailure } from './model.ts';

let isAllowed = true;
/** How many calls of `withModelRequestsForbidden` are under way. */
let forbidding = 0;

/**
 * Allows or forbids requests to models in this process. While they are forbidden, every model made here fails with
 * `forbidden` before it does anything; only scripted models work. Returns the setting before.
 */
export function allowModelRequests(allowed: boolean): boolean {
  const before = isAllowed;
  isAllowed = allowed;
  return before;
}

/** Forbids requests to models until `run` has ended. They are forbidden for everything in this process meanwhile. */
export async function withModelRequestsForbidden<T>(run: () => T | Promise<T>): Promise<T> {
  forbidding++;
  try {
    return await run();
  } finally {
    forbidding--;
  }
}

/** Called by each model before it does anything else. */
export function requireModelRequestsAllowed(id: string): void {
  if (isAllowed && forbidding === 0) return;
  throw new ModelFailure({
    kind: 'forbidden',
    status: null,
    message: `requests to models are forbidden in this process, so "${id}" was not asked; use a scripted model or call allowModelRequests(true)`,
    retryable: false,
    retry_after_ms: null,
  });
}
