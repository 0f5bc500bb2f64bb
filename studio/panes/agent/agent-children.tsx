import { type KeyboardEvent, useRef, useState } from 'react';
import type { AgentChild } from '../../../src/protocol/index.ts';
import { treeRows, wayTo } from '../../model/agent/agent-tree.ts';
import type { AgentKnown } from '../../model/agent/merge-facts.ts';
import { dollars, grouped, shortCount } from '../../model/run-figures.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { useText } from '../../text/language.ts';
import { agent as words } from '../../text/sections/agent.ts';
import { AgentStatusMark } from './agent-status.tsx';

const INDENT_PX = 16;

interface Props {
  known: AgentKnown;
  /** With the agents above it, from the one that is shown. */
  onOpen(way: readonly string[]): void;
}

/** The agents that this one has started, each below the one that started it. */
export function AgentChildren({ known: { children }, onOpen }: Props) {
  const text = useText();
  const tree = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState(0);
  const rows = treeRows(children);
  const current = Math.min(chosen, rows.length - 1);
  if (rows.length === 0) return <p className="notice">{text(words.noChildren)}</p>;

  const open = (child: AgentChild) => onOpen(wayTo(children, child.run_id));
  function press(event: KeyboardEvent) {
    const places: Record<string, number> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      Home: 0,
      End: rows.length - 1,
    };
    const to = places[event.key];
    if (to !== undefined) {
      const next = Math.max(0, Math.min(rows.length - 1, to));
      setChosen(next);
      tree.current?.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus();
    } else if (event.key === 'Enter') open(rows[current]!.child);
    else return;
    event.preventDefault();
  }

  return (
    <div className="agent-tree" role="tree" aria-label={text(words.children)} ref={tree} onKeyDown={press}>
      {rows.map(({ child, depth }, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys.
        <div
          key={child.run_id}
          role="treeitem"
          data-row={index}
          aria-level={depth + 1}
          aria-selected={index === current}
          aria-label={text(words.openChild)(showUnseen(child.run_id))}
          tabIndex={index === current ? 0 : -1}
          className="agent-child"
          style={{ paddingLeft: `${12 + depth * INDENT_PX}px` }}
          onFocus={() => setChosen(index)}
          onClick={() => open(child)}
        >
          <AgentStatusMark status={child.status} />
          <span className="agent-child-task">{showUnseen(child.task)}</span>
          <span className="quiet small">
            {text(words.stepsAndTokens)(grouped(child.use.steps), shortCount(child.use.tokens))}
            {child.use.cost_usd !== null && ` · ${dollars(child.use.cost_usd)}`}
          </span>
          <code className="quiet small">{showUnseen(child.run_id)}</code>
        </div>
      ))}
    </div>
  );
}
