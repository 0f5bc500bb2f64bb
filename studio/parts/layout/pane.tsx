import './pane.css';
import { type ReactNode, useId } from 'react';
import { MaximizeButton } from './maximize-button.tsx';

/** A landmark with a heading. `name` is how keys find the pane that has the focus. */
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
