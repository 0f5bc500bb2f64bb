import { TachoError } from '../../../src/protocol/index.ts';
import { useStore } from '../../state/store.ts';
import { useSession } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** Why a run cannot be shown, and what to do. */
export function RunProblem() {
  const text = useText();
  const connection = useStore(useSession().connection);
  if (connection.phase !== 'failed') return null;
  const { error } = connection;
  return (
    <div className="notice" role="alert">
      <strong>{text(strings.app.failedToLoad)(error.message)}</strong>
      {error instanceof TachoError && error.fix}
    </div>
  );
}
