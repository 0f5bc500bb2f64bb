import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { writeWhole } from '../../files/write-whole.ts';

const FORMAT = 'tacho-demo-session/1';
const SESSION_ID = /^demo-[0-9a-f]{12}$/;

/** The agent's memory between turns. */
export interface Session {
  format: typeof FORMAT;
  session_id: string;
  script: string;
  /** Number of the last turn that began. */
  turn: number;
  /** The script's own state: its position and what it waits for. */
  memory: Record<string, unknown>;
}

export function newSession(script: string): Session {
  const session_id = `demo-${crypto.randomBytes(6).toString('hex')}`;
  return { format: FORMAT, session_id, script, turn: 0, memory: {} };
}

/** Throws if there is no such session; never uses another session's memory. */
export function loadSession(home: string, id: string): Session {
  // The id comes from outside and becomes part of a path.
  if (!SESSION_ID.test(id)) throw new Error(`"${id}" is not a session id`);
  let text: string;
  try {
    text = fs.readFileSync(fileOf(home, id), 'utf8');
  } catch {
    throw new Error(`there is no session ${id}`);
  }
  const session = JSON.parse(text) as Session;
  if (session.format !== FORMAT) throw new Error(`session ${id} is of a format this agent does not know`);
  return session;
}

/** Atomic: the agent may be killed at any time. */
export function saveSession(home: string, session: Session): void {
  const file = fileOf(home, session.session_id);
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeWhole(file, `${JSON.stringify(session)}\n`);
}

function fileOf(home: string, id: string): string {
  return path.join(home, '.tacho-demo', 'sessions', `${id}.json`);
}
