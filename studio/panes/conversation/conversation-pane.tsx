import './conversation-pane.css';
import { useMemo } from 'react';
import { rowsInWindow } from '../../model/conversation/conversation-places.ts';
import { Pane } from '../../parts/layout/pane.tsx';
import { useModel, useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { ConversationList } from './conversation-list.tsx';
import { NotSpoken } from './not-spoken.tsx';
import { ReturnToLive } from './return-to-live.tsx';
import { useConversation } from './use-conversation.ts';

/** What was said and done, as a front end tells it: nothing raw, no diagnostics. */
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
