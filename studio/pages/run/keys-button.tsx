import { withKey } from '../../parts/controls/key-hint.ts';
import { useActions } from '../../state/actions.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** Opens the help with the mouse. */
export function KeysButton() {
  const text = useText();
  const actions = useActions();
  return (
    <button
      type="button"
      className="plain"
      title={withKey(text(strings.keyboard.title), 'help')}
      onClick={() => actions.run('help')}
    >
      <kbd>?</kbd> {text(strings.run.keys)}
    </button>
  );
}
