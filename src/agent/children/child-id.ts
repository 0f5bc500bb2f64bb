import { createHash } from 'node:crypto';

const PARENT_CHARS = 60;

/**
 * The run id of a child. It follows from its parent and the call, so that a call that is repeated after a crash finds the
 * child that it has started before.
 */
export function childRunId(parentId: string, callKey: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([parentId, callKey]))
    .digest('hex');
  return `${parentId.slice(0, PARENT_CHARS)}-c${digest.slice(0, 8)}`;
}
