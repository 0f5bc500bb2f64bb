import './problem.css';
import { TachoError } from '../../src/protocol/index.ts';
import { useText } from '../text/language.ts';
import { strings } from '../text/strings.ts';

/** The error of an action and what to do about it, next to where it was tried. */
export function Problem({ error }: { error: Error | null }) {
  const text = useText();
  if (error === null) return null;
  return (
    <p className="problem" role="alert">
      <span aria-hidden="true">✕</span> {text(strings.dock.failed)(error.message)}
      {error instanceof TachoError && error.fix !== undefined && <span className="quiet"> {error.fix}</span>}
    </p>
  );
}
