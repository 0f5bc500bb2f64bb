import './pane.css';
import { type ReactNode, useId } from 'react';
import { type Layout, useLayout } from '../../state/layout.tsx';
import { useStore } from '../../state/store.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { withKey } from '../controls/key-hint.ts';
import { useMedia } from './use-media.ts';

/** A landmark with a heading. `name` identifies the focused pane for keys. */
export function Pane(props: { name: string; title: string; tools?: ReactNode; bare?: boolean; children: ReactNode }) {
  const { name, title, tools, bare = false, children } = props;
  const heading = useId();
  return (
    <section className={`pane pane-${name}`} data-pane={name} aria-labelledby={heading} tabIndex={-1}>
      <header className={bare ? 'heard' : 'pane-bar'}>
        <h2 id={heading}>{title}</h2>
        {!bare && tools}
        {!bare && <MaximizeButton />}
      </header>
      <div className="pane-body">{children}</div>
    </section>
  );
}

/** Lets a pane fill the page. Not shown if it is alone anyway. */
function MaximizeButton() {
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
