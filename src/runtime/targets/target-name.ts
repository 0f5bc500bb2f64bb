/** The target of sessions that name none. */
export const HOST = 'host';

const REMOTE_SESSION = /^((?:ssh|container):[\w.-]+):([\w.-]+)$/;

/** The local id of a session of a target. It contains the target, so no table is needed. */
export function sessionIdHere(target: string, sessionId: string): string {
  return `${target}:${sessionId}`;
}

/** The target of a session and its id there; null for a session of this machine. */
export function splitSessionId(sessionId: string): { target: string; sessionId: string } | null {
  const match = REMOTE_SESSION.exec(sessionId);
  return match && { target: match[1]!, sessionId: match[2]! };
}
