import { Inspector } from './inspector.tsx';

/** One pane at a time, chosen at the bottom. */
export function NarrowPanes() {
  return (
    <div className="narrow-panes">
      <Inspector tabs={['conversation', 'terminal', 'events', 'event', 'raw', 'graph', 'files', 'diagnostics']} />
    </div>
  );
}
