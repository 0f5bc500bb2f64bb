import './layout/list-page.css';
import type { TachoError } from '../../src/protocol/index.ts';
import { useText } from '../text/language.ts';
import { strings } from '../text/strings.ts';
import { useNow } from './use-now.ts';

/** Why the list is out of date; the old content stays on the screen below. */
export function ListTrouble({ error, retryAt }: { error: TachoError; retryAt: number | null }) {
  const text = useText();
  const now = useNow({ runs: retryAt !== null });
  const seconds = Math.max(1, Math.ceil(((retryAt ?? now) - now) / 1000));
  return (
    <p className="list-trouble" role="alert" aria-live="polite">
      {retryAt === null ? (
        <>
          {error.message} {error.fix}
        </>
      ) : (
        text(strings.runs.unreachable)(location.origin, seconds)
      )}
    </p>
  );
}
