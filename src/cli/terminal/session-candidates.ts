import { commandLine } from '../output/format.ts';
import { idThere, withRunning } from './terminal-client.ts';

/** Live sessions of the current workspace, one line each: name or id, a tab, the program. Does not start a daemon. */
export async function sessionCandidates(): Promise<string[]> {
  const answer = await withRunning({}, (client) => client.call('session.list', {}));
  const live = (answer?.sessions ?? []).filter(({ exited }) => !exited);
  return live.map(({ name, session_id, kind, argv }) => `${name ?? idThere(session_id)}\t${kind} ${commandLine(argv)}`);
}
