import { useEffect, useRef, useState } from 'react';
import type { AgentReplay, AgentStep } from '../../../src/protocol/index.ts';
import { stepOfSeq } from '../../model/agent/step-times.ts';
import { grouped } from '../../model/run-figures.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { Problem } from '../../parts/problem.tsx';
import type { AgentSource } from '../../source/run-source.ts';
import { useText } from '../../text/language.ts';
import { agent as words } from '../../text/sections/agent.ts';

interface Props {
  source: AgentSource;
  agent: string | undefined;
  steps: readonly AgentStep[];
  onStep(step: number): void;
}

type State = { phase: 'idle' | 'busy' } | { phase: 'done'; replay: AgentReplay } | { phase: 'failed'; error: Error };

/** Replays the log on the server, and shows the first difference side by side. */
export function ReplaySection({ source, agent, steps, onStep }: Props) {
  const text = useText();
  const [state, setState] = useState<State>({ phase: 'idle' });
  const leaving = useRef<AbortController | null>(null);
  useEffect(() => () => leaving.current?.abort(), []);

  async function replay() {
    const ending = new AbortController();
    leaving.current = ending;
    setState({ phase: 'busy' });
    try {
      setState({ phase: 'done', replay: await source.replay(agent, ending.signal) });
    } catch (error) {
      if (!ending.signal.aborted) setState({ phase: 'failed', error: error as Error });
    }
  }

  const isBusy = state.phase === 'busy';
  return (
    <section>
      <h3>{text(words.replay)}</h3>
      <p className="quiet small">{text(words.replayMeans)}</p>
      <p>
        <button type="button" disabled={isBusy} aria-busy={isBusy} onClick={() => void replay()}>
          {text(isBusy ? words.replaying : words.replayNow)}
        </button>
      </p>
      <div role="status">
        {state.phase === 'done' && <Outcome replay={state.replay} steps={steps} onStep={onStep} />}
      </div>
      <Problem error={state.phase === 'failed' ? state.error : null} />
    </section>
  );
}

function Outcome({ replay, steps, onStep }: Pick<Props, 'steps' | 'onStep'> & { replay: AgentReplay }) {
  const text = useText();
  const { events, divergence, missing_tools: missing } = replay;
  if (divergence === null) {
    return (
      <p className="agent-same">
        <span aria-hidden="true">✓</span> {text(words.identical)(grouped(events))}
      </p>
    );
  }
  const { seq, path, expected, actual, message } = divergence;
  const step = stepOfSeq(steps, seq);
  return (
    <div className="agent-divergence">
      <p className="agent-differs">
        <span aria-hidden="true">✕</span> {text(words.different)(grouped(events))}{' '}
        {step !== null && (
          <button type="button" className="small" onClick={() => onStep(step)}>
            {text(words.goToStep)(step)}
          </button>
        )}
      </p>
      <p className={path === '' ? undefined : 'bytes'}>
        {path === '' ? showUnseen(message) : text(words.differsAt)(seq, showUnseen(path))}
      </p>
      {missing.length > 0 && <p className="quiet">{text(words.missingTools)(showUnseen(missing.join(', ')))}</p>}
      <div className="agent-sides">
        <Side title={text(words.inLog)} value={expected} kind="expected" />
        <Side title={text(words.inReplay)} value={actual} kind="actual" />
      </div>
    </div>
  );
}

function Side({ title, value, kind }: { title: string; value: string; kind: 'expected' | 'actual' }) {
  return (
    <div className="agent-side" data-kind={kind}>
      <h4>{title}</h4>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys have to reach it. */}
      <pre tabIndex={0}>{showUnseen(value)}</pre>
    </div>
  );
}
