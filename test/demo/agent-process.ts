import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import type { AgentEvent } from '../../src/demo/agent/agent-event.ts';
import { finished, projectRoot, temporaryFolder } from '../support/tacho.ts';

const program = path.join(projectRoot, 'dist/demo-agent.js');

export interface Played {
  code: number | null;
  events: AgentEvent[];
  /** Its output other than events. */
  lines: string[];
  stderr: string;
}

export interface Agent {
  home: string;
  folder: string;
  /** Plays one turn to its end, without pauses. */
  play(words: readonly string[], options?: { input?: string; env?: Record<string, string> }): Promise<Played>;
  start(words: readonly string[], options?: { env?: Record<string, string> }): ChildProcess;
}

/** The agent as a program, with its own home and folder. */
export function agent(): Agent {
  const home = temporaryFolder();
  const folder = temporaryFolder();
  const start: Agent['start'] = (words, { env = {} } = {}) =>
    spawn(process.execPath, [program, 'run', '--pace=0', ...words], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: home, ...env },
    });
  return {
    home,
    folder,
    start,
    async play(words, { input = '', env = {} } = {}) {
      const child = start(words, { env });
      child.stdin!.end(input);
      const { code, stdout, stderr } = await finished(child);
      const all = stdout.split('\n').filter(Boolean);
      const events = all.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as AgentEvent);
      return { code, events, lines: all.filter((line) => !line.startsWith('{')), stderr };
    },
  };
}

export function of<T extends AgentEvent['type']>(events: readonly AgentEvent[], type: T) {
  return events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);
}

export function sessionOf({ events }: Played): string {
  return of(events, 'session')[0]!.session_id;
}
