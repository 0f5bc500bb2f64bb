import type { OpenRecording } from '../../terminal/index.ts';
import { openJournal, type RunContext } from '../context.ts';
import { controlPath } from '../control/control-path.ts';
import { openControl } from '../control/control-server.ts';
import { prepareDataHome } from '../data-home.ts';
import { findSecrets, hiderOf } from '../launch/isolated-environment.ts';
import { refuseLowDisk } from './disk-reserve.ts';
import { prepareRun } from './prepare-run.ts';
import { SESSION_ENGINE, SessionRun } from './session-run.ts';

/** Keeps terminal sessions as runs: the same folder, files, events and seal as those of a command. */
export function recordSessions(context: RunContext, onTrouble: (error: unknown) => void): OpenRecording {
  const { home, config } = context;
  return async (session) => {
    prepareDataHome(home);
    refuseLowDisk(home.root, config.limits.disk_floor_bytes);
    const { argv, cwd, environment, marker, split } = session;
    const secrets = findSecrets(environment, config.environment.secret_names);
    const run = await prepareRun({
      engine: SESSION_ENGINE,
      cwd,
      shownCommand: () => argv.map(hiderOf(secrets)),
      capture: {
        mode: split ? 'split' : 'merged',
        reason: `${session.kind} session ${session.id}`,
        level: config.recording.level,
      },
      known: { env_names: Object.keys(environment).sort(), secret_names: secrets.map(({ name }) => name) },
      home,
      openJournal: (folder) => openJournal(folder, config),
      marker,
    });
    const control = await openControl(controlPath(home, run.record.handle));
    return await SessionRun.begin({ session, run, control, context, onTrouble });
  };
}
