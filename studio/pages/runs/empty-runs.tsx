import { useState } from 'react';
import { useLocation } from 'wouter';
import { NoMatch } from '../../parts/no-match.tsx';
import { useClient } from '../../state/client.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

const COMMAND = 'tacho run demo -- "hello"';

/** Nothing to list: there are no runs, or the filter matches none. */
export function EmptyRuns({ filter, onClear }: { filter: string; onClear(): void }) {
  const text = useText();
  if (filter.trim() !== '') {
    return <NoMatch words={text(strings.runs.noMatch)(filter.trim())} onClear={onClear} />;
  }
  return (
    <div className="notice list-empty">
      <strong>{text(strings.runs.none)}</strong>
      <p>
        {text(strings.runs.startOne)} <code>{COMMAND}</code>
      </p>
      <StartDemo />
    </div>
  );
}

/** The demo needs no account and no network. */
function StartDemo() {
  const text = useText();
  const client = useClient()!;
  const [, navigate] = useLocation();
  const [isStarting, setStarting] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function start() {
    setStarting(true);
    setProblem(null);
    try {
      const { handle } = await client.createRun({ engine: 'demo', prompt: 'hello', mode: 'interactive' });
      navigate(`/runs/${handle}`);
    } catch (error) {
      setProblem((error as Error).message);
      setStarting(false);
    }
  }

  return (
    <>
      <button type="button" className="primary" disabled={isStarting} onClick={start}>
        {text(strings.runs.startDemo)}
      </button>
      {problem !== null && <p role="alert">{problem}</p>}
    </>
  );
}
