/** Where sessions run that are asked for nowhere else. */
export const HOST = 'host';

const REMOTE_SESSION = /^((?:ssh|container):[\w.-]+):([\w.-]+)$/;

/** The id by which a session of a target is known here. It says where the session is, so nobody needs to remember. */
export function sessionIdHere(target: string, sessionId: string): string {
  return `${target}:${sessionId}`;
}

/** The target of a session, and its id there; null for a session of this machine. */
export function splitSessionId(sessionId: string): { target: string; sessionId: string } | null {
  const match = REMOTE_SESSION.exec(sessionId);
  return match && { target: match[1]!, sessionId: match[2]! };
}
