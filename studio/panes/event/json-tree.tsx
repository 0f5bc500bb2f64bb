import { useState } from 'react';
import { grouped } from '../../model/run-figures.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** Number of characters and items shown until the user asks for more. */
const SHOWN_CHARACTERS = 600;
const SHOWN_ENTRIES = 100;
/** Deeper levels are initially collapsed. */
const OPEN_DEPTH = 2;

/** Any JSON value, as a collapsible tree. */
export function JsonTree({ value, name, depth = 0 }: { value: unknown; name?: string; depth?: number }) {
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="json-leaf bytes">
        {name !== undefined && <span className="json-name">{showUnseen(name)}: </span>}
        <Leaf value={value} />
      </div>
    );
  }
  return <Branch value={value} name={name} depth={depth} />;
}

function Branch({ value, name, depth }: { value: object; name: string | undefined; depth: number }) {
  const text = useText();
  const [open, setOpen] = useState(depth < OPEN_DEPTH);
  const [most, setMost] = useState(SHOWN_ENTRIES);
  const entries = Object.entries(value);
  const shape = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  const children =
    open &&
    entries.slice(0, most).map(([key, child]) => <JsonTree key={key} name={key} value={child} depth={depth + 1} />);
  const more = open && entries.length > most && (
    <button type="button" className="small" onClick={() => setMost(most * 10)}>
      {text(strings.events.showMore)(grouped(entries.length - most))}
    </button>
  );
  if (name === undefined) {
    return (
      <div className="json-tree">
        {children}
        {more}
      </div>
    );
  }
  return (
    <div className="json-branch">
      <button type="button" className="plain bytes" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span aria-hidden="true">{open ? '▾' : '▸'}</span> <span className="json-name">{showUnseen(name)}</span>{' '}
        <span className="quiet">{shape}</span>
      </button>
      <div className="json-children">
        {children}
        {more}
      </div>
    </div>
  );
}

function Leaf({ value }: { value: unknown }) {
  const say = useText();
  const [whole, setWhole] = useState(false);
  if (typeof value !== 'string') return <span className="json-other">{String(value)}</span>;
  const cut = !whole && value.length > SHOWN_CHARACTERS;
  return (
    <>
      <span className="json-text">{showUnseen(cut ? `${value.slice(0, SHOWN_CHARACTERS)}…` : value)}</span>
      {cut && (
        <button type="button" className="small" onClick={() => setWhole(true)}>
          {say(strings.events.showAll)(grouped(value.length))}
        </button>
      )}
    </>
  );
}
