import './help-dialog.css';
import { useState } from 'react';
import { type Action, KEYS, type Key, type KeyGroup, keyLabel } from '../../keyboard.ts';
import { Dialog } from '../../parts/controls/dialog.tsx';
import { useAction } from '../../state/actions.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

const GROUPS: readonly KeyGroup[] = ['time', 'rows', 'selection', 'decisions', 'page'];

/** The table of keys, as a dialog with its own key. `only` limits it to the keys of a page. */
export function HelpDialog({ only }: { only?: readonly Action[] }) {
  const text = useText();
  const [isOpen, setOpen] = useState(false);
  useAction('help', () => setOpen(true));
  if (!isOpen) return null;
  const shown = KEYS.filter(({ action }) => only === undefined || only.includes(action));
  return (
    <Dialog title={text(strings.keyboard.title)} onClose={() => setOpen(false)}>
      <div className="help">
        {GROUPS.map((group) => (
          <KeyList key={group} group={group} keys={shown.filter((key) => key.group === group)} />
        ))}
      </div>
      <div className="dialog-buttons">
        <button type="button" onClick={() => setOpen(false)}>
          {text(strings.app.close)}
        </button>
      </div>
    </Dialog>
  );
}

function KeyList({ group, keys }: { group: KeyGroup; keys: readonly Key[] }) {
  const text = useText();
  if (keys.length === 0) return null;
  return (
    <section>
      <h3>{text(strings.keyboard.groups[group])}</h3>
      <dl>
        {keys.map(({ action, keys: names, does }) => (
          <div key={action}>
            <dt>
              {shortened(names).map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{text(does)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** A row of digits is shown as its first and last. */
function shortened(names: readonly string[]): string[] {
  const labels = names.map(keyLabel);
  return labels.length < 4 ? labels : [`${labels[0]} – ${labels.at(-1)}`];
}
