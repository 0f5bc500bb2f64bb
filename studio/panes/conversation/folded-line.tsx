import type { ReactNode } from 'react';
import { showUnseen } from '../../model/text/unseen.ts';

interface Props {
  name: string;
  /** Shown in one line. */
  summary: string;
  state?: ReactNode;
  tool?: boolean;
  open: boolean;
  tabbed: boolean;
  onToggle(): void;
  /** Visible when opened. */
  children: ReactNode;
}

/** One line that opens in place. */
export function FoldedLine({ name, summary, state, tool = false, open, tabbed, onToggle, children }: Props) {
  return (
    <>
      <button
        type="button"
        className="plain conversation-line"
        aria-expanded={open}
        tabIndex={tabbed ? 0 : -1}
        onClick={onToggle}
      >
        <span aria-hidden="true">{open ? '▾' : '▸'}</span>
        <bdi className={tool ? 'conversation-tool bytes' : 'quiet'}>{showUnseen(name)}</bdi>
        <bdi className={`conversation-summary ${tool ? 'bytes' : 'quiet'}`}>{oneLine(summary)}</bdi>
        {state}
      </button>
      {open && <div className="conversation-details">{children}</div>}
    </>
  );
}

function oneLine(text: string): string {
  return showUnseen(text.slice(0, 400).trim().replace(/\s+/g, ' '));
}
