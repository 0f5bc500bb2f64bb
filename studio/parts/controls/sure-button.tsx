import '../problem.css';
import { useEffect, useState } from 'react';
import { useText } from '../../text/language.ts';

type Words = readonly [string, string];

/** How long a first press is remembered. */
const SURE_MS = 4000;

interface Props {
  words: { idle: Words; asking: Words; acting: Words };
  /** Action of the second press. An error it throws is shown beside the button. */
  act(): Promise<unknown>;
  /** Why it cannot be pressed; null if it can. */
  disabled?: Words | null;
}

/** For irreversible actions: the first press only asks. It shows that the action is running until it is removed. */
export function SureButton({ words, act, disabled = null }: Props) {
  const text = useText();
  const [stage, setStage] = useState<keyof Props['words']>('idle');
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (stage !== 'asking') return;
    const timer = setTimeout(() => setStage('idle'), SURE_MS);
    return () => clearTimeout(timer);
  }, [stage]);

  async function press() {
    if (stage === 'idle') return setStage('asking');
    setStage('acting');
    setProblem(null);
    try {
      await act();
    } catch (error) {
      setProblem((error as Error).message);
      setStage('idle');
    }
  }

  return (
    <>
      {problem !== null && (
        <span role="alert" className="problem">
          {problem}
        </span>
      )}
      <button
        type="button"
        className="danger"
        disabled={disabled !== null || stage === 'acting'}
        title={disabled === null ? undefined : text(disabled)}
        aria-live="polite"
        onClick={press}
      >
        {text(words[stage])}
      </button>
    </>
  );
}
