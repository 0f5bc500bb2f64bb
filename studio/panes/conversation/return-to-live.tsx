import { isTerminal } from '../../../src/record/index.ts';
import { withKey } from '../../parts/controls/key-hint.ts';
import { useStore } from '../../state/store.ts';
import { useModel, useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** The way back for who scrolled away from a run that goes on. */
export function ReturnToLive() {
  const text = useText();
  const { view, connection } = useSession();
  const following = useView((view) => view.following);
  const phase = useStore(connection, ({ phase }) => phase);
  const { status } = useModel();
  if (following || phase !== 'live' || isTerminal(status)) return null;
  const words = text(strings.conversation.returnToLive);
  return (
    <button
      type="button"
      title={withKey(words, 'live')}
      onClick={() => view.change({ following: true, time: null, selection: null })}
    >
      {words} ↓
    </button>
  );
}
