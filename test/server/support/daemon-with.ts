import type { RuntimeClient } from '../../../src/runtime/index.ts';
import { daemonOf } from '../../acceptance/runtime/daemon.ts';

/** The daemon of a workspace, started as commands with that data folder start it; stopped when the test ends. */
export function daemonWith({ workspace, home }: { workspace: string; home: string }): RuntimeClient {
  return daemonOf(workspace, { TACHO_HOME: home }).client();
}
