import { useRef } from 'react';
import { useLocation } from 'wouter';
import type { TerminalView } from '../../../src/protocol/index.ts';
import { targetOfTerminal } from '../../model/terminals/terminal-facts.ts';
import { useGridRows } from '../../parts/layout/use-grid-rows.ts';
import { useNow } from '../../parts/use-now.ts';
import { useText } from '../../text/language.ts';
import { terminals as terminalTexts } from '../../text/sections/terminals.ts';
import { TerminalRow, terminalAddress } from './terminal-row.tsx';

const COLUMNS = [
  'state',
  'terminal',
  'kind',
  'workspace',
  'target',
  'size',
  'age',
  'active',
  'attached',
  'recorded',
] as const;

/** The sessions as a grid in which one row at a time has the focus. */
export function TerminalTable({ terminals }: { terminals: readonly TerminalView[] }) {
  const text = useText();
  const [, navigate] = useLocation();
  const body = useRef<HTMLTableElement>(null);
  const now = useNow({ runs: true });
  const rowProps = useGridRows({
    ids: terminals.map(({ terminal_id }) => terminal_id),
    body,
    open: (index) => navigate(terminalAddress(terminals[index]!)),
  });
  // With a single machine its name is not shown.
  const hasTargets = terminals.some((terminal) => targetOfTerminal(terminal) !== null);
  const columns = COLUMNS.filter((column) => column !== 'target' || hasTargets);

  return (
    <div className="terminal-rows">
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows take the focus is a grid. */}
      <table ref={body} className="terminal-table" role="grid" aria-label={text(terminalTexts.list)}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" className={`terminals-${column}`}>
                {text(terminalTexts[column])}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {terminals.map((terminal, index) => (
            <TerminalRow
              key={terminal.terminal_id}
              terminal={terminal}
              now={now}
              hasTargets={hasTargets}
              rowProps={rowProps(index)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}
