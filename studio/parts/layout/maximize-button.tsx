import { type Layout, useLayout } from '../../state/layout.tsx';
import { useStore } from '../../state/store.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { withKey } from '../controls/key-hint.ts';
import { useMedia } from './use-media.ts';

/** Lets a pane fill the page. Not there where it stands alone anyway. */
export function MaximizeButton() {
  const layout = useLayout();
  const isWide = useMedia('(min-width: 700px)');
  return layout && isWide ? <Button layout={layout} /> : null;
}

function Button({ layout }: { layout: Layout }) {
  const text = useText();
  const isMaximized = useStore(layout, ({ maximized }) => maximized !== null);
  const words = text(isMaximized ? strings.run.restore : strings.run.maximize);
  return (
    <button
      type="button"
      className="plain maximize"
      aria-label={words}
      title={withKey(words, 'maximize')}
      onClick={({ currentTarget }) => layout.toggle(currentTarget)}
    >
      <span aria-hidden="true">{isMaximized ? '⤡' : '⤢'}</span>
    </button>
  );
}
