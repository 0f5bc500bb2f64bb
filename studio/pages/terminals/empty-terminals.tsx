import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

const COMMAND = 'tacho terminal create --name build';

/** There is nothing to list, and how that is changed. */
export function EmptyTerminals() {
  const text = useText();
  return (
    <div className="notice list-empty">
      <strong>{text(strings.terminals.none)}</strong>
      <p>
        {text(strings.terminals.openOne)} <code>{COMMAND}</code>
      </p>
    </div>
  );
}
