import { isTerminal, lengthOf } from '../../../src/record/index.ts';
import { clock } from '../../model/times.ts';
import { useClient } from '../../state/client.tsx';
import { useStore } from '../../state/store.ts';
import { useModel, useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import type { TerminalScreen } from './terminal-screen.ts';
import { Typing } from './typing.tsx';

/** True while the run is live and its whole history is loaded. */
export function useIsLive(): boolean {
  const session = useSession();
  const { status } = useModel();
  return useStore(session.connection, ({ phase }) => phase === 'live') && !isTerminal(status);
}

/** Actions for a live run: return to it, and type into it. */
export function LiveTools({ screen }: { screen: TerminalScreen }) {
  const session = useSession();
  const { status } = useModel();
  const following = useView((view) => view.following);
  if (!useIsLive()) return null;
  return (
    <div className="terminal-live">
      {!following && <ReturnToLive />}
      {session.source.kind === 'server' && status === 'running' && <TypeIntoRun screen={screen} />}
    </div>
  );
}

function ReturnToLive() {
  const text = useText();
  const session = useSession();
  useModel();
  // Whole seconds, so that it rerenders only when the text changes.
  const seconds = useView(({ time }) => Math.floor((lengthOf(session.model) - (time ?? 0)) / 1000));
  return (
    <button type="button" title="L" onClick={() => session.playback.returnToLive()}>
      {text(strings.terminal.returnToLive)(clock(seconds * 1000))}
    </button>
  );
}

function TypeIntoRun({ screen }: { screen: TerminalScreen }) {
  const session = useSession();
  const client = useClient();
  const run = useStore(session.run)?.run_id;
  if (!client || !run) return null;
  return (
    <Typing
      screen={screen}
      begin={strings.terminal.type}
      send={(keys) => client.input(run, keys)}
      onBegin={() => session.playback.returnToLive()}
    />
  );
}
