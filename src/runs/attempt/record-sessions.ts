import { engineOf } from '../../engines/index.ts';
import type { OpenRecording, RecordedSession } from '../../terminal/index.ts';
import { openJournal, type RunContext } from '../context.ts';
import { openControl } from '../control/control-server.ts';
import { prepareDataHome } from '../data-home.ts';
import { findSecrets, hiderOf } from '../launch/isolated-environment.ts';
import { requestedOf } from '../state/requested.ts';
import { Attempt } from './attempt.ts';
import { refuseLowDisk } from './disk-reserve.ts';
import { openingDrafts } from './drafts.ts';
import { type PreparedRun, prepareRun } from './prepare-run.ts';
import { SessionProgram } from './programs/session-program.ts';

/** The engine name of all recorded sessions. */
export const SESSION_ENGINE = 'terminal';

/** Records terminal sessions as runs, with the same folder, files, events and seal as those of a command. */
export function recordSessions(context: RunContext, onTrouble: (error: unknown) => void): OpenRecording {
  return async (session) => {
    const { home, config } = context;
    prepareDataHome(home);
    refuseLowDisk(home.root, config.limits.disk_floor_bytes);
    const secrets = findSecrets(session.environment, config.environment.secret_names);
    const hideSecrets = hiderOf(secrets);
    const run = await prepareSession(session, secrets, context);
    const attempt = await Attempt.open(
      run,
      {
        profile: engineOf(SESSION_ENGINE),
        mode: 'auto',
        markerRequired: false,
        session: session.id,
        conversation: session.kind === 'shell',
        hideSecrets,
        recording: config.recording,
      },
      context,
    );
    const control = await openControl(home, run.folder);
    attempt.onClose(() => control.close());
    const program = new SessionProgram({ session, attempt, control, onTrouble });
    await attempt.prepare(
      openingDrafts(attempt.drafts, attempt.now, null, { announced: false, requested: requestedOf(run.record) }),
    );
    const { split, cols, rows, environment } = session;
    const header = { term: environment.TERM ?? 'xterm-256color', cols, rows };
    await attempt.start(program, { mode: split ? 'split' : 'merged', header, secrets });
    if (!attempt.facts.error) return program;
    await program.finish(null, null, attempt.facts.error);
    throw attempt.facts.error;
  };
}

function prepareSession(
  { argv, cwd, environment, marker, split, kind, id }: RecordedSession,
  secrets: readonly { name: string; value: string }[],
  { home, config }: RunContext,
): Promise<PreparedRun> {
  return prepareRun({
    engine: SESSION_ENGINE,
    cwd,
    shownCommand: () => argv.map(hiderOf(secrets)),
    capture: { mode: split ? 'split' : 'merged', reason: `${kind} session ${id}`, level: config.recording.level },
    known: { env_names: Object.keys(environment).sort(), secret_names: secrets.map(({ name }) => name) },
    home,
    openJournal: (folder) => openJournal(folder, config),
    marker,
  });
}
