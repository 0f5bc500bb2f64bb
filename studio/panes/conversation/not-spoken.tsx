import { isTerminal } from '../../../src/record/index.ts';
import type { Row } from '../../model/conversation/conversation-rows.ts';
import { elapsed } from '../../model/elapsed.ts';
import { useMedia } from '../../parts/layout/use-media.ts';
import { useNow } from '../../parts/use-now.ts';
import { useStore } from '../../state/store.ts';
import { useModel, useSession } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** Explains why the agent has said nothing. */
export function NotSpoken({ rows }: { rows: readonly Row[] }) {
  const text = useText();
  const session = useSession();
  const run = useStore(session.run);
  const phase = useStore(session.connection, ({ phase }) => phase);
  const { status, start } = useModel();
  const silent = !rows.some(({ kind }) => kind !== 'user' && kind !== 'files' && kind !== 'attempt' && kind !== 'end');
  const waits = silent && phase === 'live' && !isTerminal(status) && run?.engine !== 'text';
  // If there is room, the terminal is next to the conversation anyway.
  const beside = useMedia('(min-width: 1100px)');
  const now = useNow({ runs: waits });
  if (!silent || run === null || phase === 'loading' || phase === 'backfilling') return null;
  if (run.engine === 'text') {
    return (
      <div className="notice">
        <strong>{text(strings.conversation.plainCommand)}</strong>
        {text(strings.conversation.seeTerminal)}{' '}
        {!beside && (
          <button type="button" onClick={() => session.view.change({ tab: 'terminal' })}>
            {text(strings.conversation.toTerminal)}
          </button>
        )}
      </div>
    );
  }
  return (
    <p className="notice">
      {text(isTerminal(status) ? strings.conversation.saidNothing : strings.conversation.notSpoken)}{' '}
      {waits && start !== null && <span className="bytes">{elapsed(now - start)}</span>}
    </p>
  );
}
