import { lengthOf } from '../../../../src/record/index.ts';
import { clock } from '../../../model/times.ts';
import { withKey } from '../../../parts/controls/key-hint.ts';
import { useNow } from '../../../parts/use-now.ts';
import type { RunSession } from '../../../state/run-session.ts';
import { useStore } from '../../../state/store.ts';
import { useModel, useSession, useView } from '../../../state/use-run.tsx';
import { useLanguage, useText } from '../../../text/language.ts';
import { strings } from '../../../text/strings.ts';

/** The duration of the run; updates while it is running. */
export function Elapsed() {
  const text = useText();
  const language = useLanguage();
  const length = useLiveLength(useSession());
  const { start } = useModel();
  return (
    <span title={start === null ? undefined : new Date(start).toLocaleString(language)}>
      <span className="heard">{text(strings.run.elapsed)} </span>
      <span className="bytes">{clock(length)}</span>
    </span>
  );
}

/** How far the playhead is behind a live run, with a button to catch up. */
export function Behind() {
  const text = useText();
  const session = useSession();
  const following = useView((view) => view.following);
  useView((view) => view.time);
  const length = useLiveLength(session);
  if (following || !session.isLive) return null;
  return (
    <span className="run-behind">
      {text(strings.run.behind)(clock(Math.max(0, length - session.time)))} ·{' '}
      <button
        type="button"
        className="plain"
        title={withKey(text(strings.run.returnToLive), 'live')}
        onClick={() => session.view.change({ following: true, time: null, attempt: null })}
      >
        {text(strings.run.returnToLive)}
      </button>
    </span>
  );
}

function useLiveLength(session: RunSession): number {
  const model = useModel();
  useStore(session.connection);
  const runs = session.isLive && model.status === 'running';
  const now = useNow({ runs });
  return runs && model.start !== null ? Math.max(lengthOf(model), now - model.start) : lengthOf(model);
}
