import { useEffect, useState } from 'react';
import { isTerminal } from '../../model/run-model.ts';
import { useClient } from '../../state/client.tsx';
import { useStore } from '../../state/store.ts';
import { useModel, useSession } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** How long a first press is remembered. */
const SURE_MS = 4000;

/** Stops the run with a second press; the first only asks. */
export function StopButton() {
  const text = useText();
  const client = useClient();
  const { source, run } = useSession();
  const id = useStore(run, (known) => known?.run_id);
  const { status } = useModel();
  const [stage, setStage] = useState<'idle' | 'asking' | 'stopping'>('idle');
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (stage !== 'asking') return;
    const timer = setTimeout(() => setStage('idle'), SURE_MS);
    return () => clearTimeout(timer);
  }, [stage]);
  if (isTerminal(status) || id === undefined) return null;

  async function press() {
    if (stage === 'idle') return setStage('asking');
    setStage('stopping');
    setProblem(null);
    try {
      await client?.cancel(id!);
    } catch (error) {
      setProblem((error as Error).message);
      setStage('idle');
    }
  }

  const isReadOnly = source.kind === 'archive' || client === null;
  const words = { idle: strings.run.stop, asking: strings.run.stopAgain, stopping: strings.run.stopping };
  return (
    <>
      {problem !== null && (
        <span role="alert" className="run-lost">
          {problem}
        </span>
      )}
      <button
        type="button"
        className="danger"
        disabled={isReadOnly || stage === 'stopping'}
        title={isReadOnly ? text(strings.run.readOnly) : undefined}
        aria-live="polite"
        onClick={press}
      >
        {text(words[stage])}
      </button>
    </>
  );
}
