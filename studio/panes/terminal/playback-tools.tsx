import { type Action, keyLabel, keysOf } from '../../keyboard.ts';
import { clock } from '../../model/times.ts';
import { SPEEDS } from '../../state/playback.ts';
import { useStore } from '../../state/store.ts';
import { useSession } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** ⏮ ▶ ⏭, the speed, and whether idle time is skipped. */
export function PlaybackTools() {
  const text = useText();
  const { playback } = useSession();
  const { playing, speed, skipIdle, skipped } = useStore(playback.state);
  const named = (name: string, action: Action) => ({
    'aria-label': name,
    title: `${name} (${keysOf(action).map(keyLabel).join(', ')})`,
  });
  return (
    <div className="terminal-tools">
      <button
        type="button"
        className="plain"
        {...named(text(strings.keyboard.previousMark), 'previous-mark')}
        onClick={() => playback.stepMark('before')}
      >
        <Icon path="M2 2v8M10 2v8L4 6z" />
      </button>
      <button
        type="button"
        className="plain"
        {...named(text(playing ? strings.terminal.pause : strings.terminal.play), 'play')}
        onClick={() => playback.toggle()}
      >
        <Icon path={playing ? 'M3 2v8M9 2v8' : 'M3 2v8l7-4z'} />
      </button>
      <button
        type="button"
        className="plain"
        {...named(text(strings.keyboard.nextMark), 'next-mark')}
        onClick={() => playback.stepMark('after')}
      >
        <Icon path="M10 2v8M2 2v8l6-4z" />
      </button>
      <select
        aria-label={text(strings.terminal.speed)}
        title={`${text(strings.terminal.speed)} (< >)`}
        value={speed}
        onChange={({ target }) => playback.setSpeed(Number(target.value))}
      >
        {SPEEDS.map((value) => (
          <option key={value} value={value}>
            {value}×
          </option>
        ))}
      </select>
      <button
        type="button"
        className="plain toggle"
        aria-pressed={skipIdle}
        title={text(strings.terminal.skipIdleWhy)}
        onClick={() => playback.setSkipIdle(!skipIdle)}
      >
        {text(strings.terminal.skipIdle)}
      </button>
      {skipped !== null && <span className="small quiet">{text(strings.terminal.skipped)(clock(skipped))}</span>}
    </div>
  );
}

/** Drawn, because few fonts have these symbols. */
function Icon({ path }: { path: string }) {
  return (
    <svg className="terminal-icon" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
