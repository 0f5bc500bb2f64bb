import { Link } from 'wouter';
import { TachoError } from '../../../src/protocol/index.ts';
import { useStore } from '../../state/store.ts';
import type { TerminalSession } from '../../state/terminal-session.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** Why a session cannot be shown, or not any longer, and what to do. */
export function TerminalProblem({ session }: { session: TerminalSession }) {
  const text = useText();
  const connection = useStore(session.connection);
  if (connection.phase !== 'failed') return null;
  const { error } = connection;
  const isGone = error instanceof TachoError && /NOT_FOUND$/.test(error.code);
  return (
    <div className="notice" role="alert">
      <strong>{isGone ? text(strings.terminals.gone) : text(strings.app.failedToLoad)(error.message)}</strong>
      {!isGone && error instanceof TachoError && error.fix}{' '}
      <Link href="/terminals">{text(strings.terminals.toList)}</Link>{' '}
      {!isGone && (
        <button type="button" onClick={() => location.reload()}>
          {text(strings.app.retry)}
        </button>
      )}
    </div>
  );
}
