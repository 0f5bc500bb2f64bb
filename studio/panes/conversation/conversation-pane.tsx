import './conversation-pane.css';
import { useMemo } from 'react';
import { isTerminal, type RunModel } from '../../../src/record/index.ts';
import { rowsInWindow } from '../../model/conversation/conversation-places.ts';
import {
  type ConversationFold,
  emptyConversation,
  growConversation,
} from '../../model/conversation/conversation-rows.ts';
import { withKey } from '../../parts/controls/key-hint.ts';
import { Pane } from '../../parts/layout/pane.tsx';
import { useStore } from '../../state/store.ts';
import { useModel, useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { ConversationList } from './conversation-list.tsx';
import { NotSpoken } from './not-spoken.tsx';

/** Kept with the run, so that a pane that is shown again need not fold everything again. */
const folds = new WeakMap<RunModel, ConversationFold>();

/** The conversation for readers: no raw output, no diagnostics. */
export function ConversationPane() {
  const text = useText();
  const { view } = useSession();
  const { start } = useModel();
  const fold = useConversation();
  const window = useView((view) => view.window);
  const { taken } = fold;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are one list that grows; `taken` says that it has.
  const shown = useMemo(() => {
    return window === null ? fold.rows.map((_, index) => index) : rowsInWindow(fold.rows, window, start ?? 0);
  }, [fold, taken, window, start]);
  const outside = shown.length === 0 && fold.rows.length > 0;
  return (
    <Pane name="conversation" title={text(strings.tabs.conversation)} tools={<ReturnToLive />}>
      {outside ? (
        <p className="notice">
          {text(strings.conversation.noneInWindow)}{' '}
          <button type="button" onClick={() => view.change({ window: null })}>
            {text(strings.conversation.clearWindow)}
          </button>
        </p>
      ) : (
        <ConversationList fold={fold} shown={shown}>
          <NotSpoken rows={fold.rows} />
        </ConversationList>
      )}
    </Pane>
  );
}

/** Returns to the end of a live run after scrolling away. */
function ReturnToLive() {
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

/** The rows of the run so far. The fold is always the same object; `taken` shows whether it has grown. */
function useConversation(): ConversationFold {
  const model = useModel();
  const fold = folds.get(model) ?? emptyConversation();
  folds.set(model, fold);
  growConversation(fold, model.messages);
  return fold;
}
