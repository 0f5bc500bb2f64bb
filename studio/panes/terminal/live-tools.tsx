import { useEffect, useState } from 'react';
import { isTerminal } from '../../model/run-model.ts';
import { clock, lengthOf } from '../../model/times.ts';
import { useClient } from '../../state/client.tsx';
import { useStore } from '../../state/store.ts';
import { useModel, useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import type { TerminalScreen } from './terminal-screen.ts';

/** What can be done while a run is live: return to it, and type into it. */
export function LiveTools({ screen }: { screen: TerminalScreen }) {
  const session = useSession();
  const { status } = useModel();
  const live = useStore(session.connection, ({ phase }) => phase === 'live') && !isTerminal(status);
  const following = useView((view) => view.following);
  if (!live) return null;
  return (
    <div className="terminal-live">
      {!following && <ReturnToLive />}
      {session.source.kind === 'server' && status === 'running' && <Typing screen={screen} />}
    </div>
  );
}

function ReturnToLive() {
  const text = useText();
  const session = useSession();
  useModel();
  // Whole seconds, so that it is drawn anew only when it says something else.
  const seconds = useView(({ time }) => Math.floor((lengthOf(session.model) - (time ?? 0)) / 1000));
  return (
    <button type="button" title="L" onClick={() => session.playback.returnToLive()}>
      {text(strings.terminal.returnToLive)(clock(seconds * 1000))}
    </button>
  );
}

/** Keys go to the program until one leaves, by a button or by keys that no program gets. */
function Typing({ screen }: { screen: TerminalScreen }) {
  const text = useText();
  const session = useSession();
  const client = useClient();
  const [on, setOn] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const run = useStore(session.run)?.run_id;

  useEffect(() => {
    if (!on || !client || !run) return;
    const { terminal } = screen;
    session.playback.returnToLive();
    screen.setTyping(true);
    // One after the other: keys must not overtake each other.
    let sent = Promise.resolve();
    const keys = terminal.onData((data) => {
      sent = sent
        .then(() => client.input(run, data))
        .then(
          () => setProblem(null),
          (error: Error) => setProblem(error.message),
        );
    });
    terminal.attachCustomKeyEventHandler((event) => {
      const leaves = event.key === 'Escape' && event.ctrlKey && event.shiftKey;
      if (leaves) setOn(false);
      return !leaves;
    });
    return () => {
      keys.dispose();
      terminal.attachCustomKeyEventHandler(() => true);
      screen.setTyping(false);
    };
  }, [on, client, run, screen, session]);

  if (!client) return null;
  return (
    <div className="terminal-typing" data-on={on}>
      {on && <strong>{text(strings.terminal.typing)}</strong>}
      {problem && <span role="alert">{text(strings.terminal.inputFailed)(problem)}</span>}
      <button type="button" aria-pressed={on} onClick={() => setOn(!on)}>
        <span aria-hidden="true">⌨ </span>
        {text(on ? strings.terminal.leave : strings.terminal.type)}
      </button>
    </div>
  );
}
