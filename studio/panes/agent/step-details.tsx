import type { AgentCall, AgentStep } from '../../../src/protocol/index.ts';
import { callState, shownArguments } from '../../model/agent/step-summary.ts';
import { forkPoint } from '../../model/agent/step-times.ts';
import { grouped } from '../../model/run-figures.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { duration } from '../../model/times.ts';
import { LongText } from '../../parts/long-text.tsx';
import { useText } from '../../text/language.ts';
import { agent as words } from '../../text/sections/agent.ts';
import { CALL_SHAPES } from './call-shapes.ts';

interface Props {
  step: AgentStep;
  onPrompt(): void;
  onFork(at: number): void;
  onChild(run: string): void;
}

/** One step: what the model said, and its calls with verdict, decision and outcome. */
export function StepDetails({ step, onPrompt, onFork, onChild }: Props) {
  const text = useText();
  const { usage, tries, model, note, calls, first_seq, last_seq } = step;
  const figures = [
    showUnseen(model),
    text(words.tries)(tries),
    ...(usage?.input_tokens === undefined ? [] : [text(words.tokensIn)(grouped(usage.input_tokens))]),
    ...(usage?.cached_input_tokens === undefined ? [] : [text(words.tokensCached)(grouped(usage.cached_input_tokens))]),
    ...(usage?.output_tokens === undefined ? [] : [text(words.tokensOut)(grouped(usage.output_tokens))]),
    text(words.eventRange)(first_seq, last_seq),
  ];
  return (
    <section className="agent-details" aria-label={text(words.stepTitle)(step.step)}>
      <div className="agent-details-head">
        <h3>{text(words.stepTitle)(step.step)}</h3>
        <span className="quiet small bytes">{figures.join(' · ')}</span>
        <span className="agent-tools">
          <button type="button" className="small" onClick={onPrompt}>
            {text(words.showPrompt)}
          </button>
          <button type="button" className="small" onClick={() => onFork(forkPoint(step))}>
            {text(words.forkHere)}
          </button>
        </span>
      </div>
      {note !== null && <p className="quiet small">{text(words.note[note])}</p>}
      {step.text !== '' && <LongText text={step.text} />}
      {calls.length === 0 && step.finish_reason !== null && <p className="quiet">{text(words.noCalls)}</p>}
      <ul className="agent-calls" aria-label={text(words.calls)}>
        {calls.map((call) => (
          <Call key={call.call_id} call={call} onChild={onChild} />
        ))}
      </ul>
    </section>
  );
}

function Call({ call, onChild }: { call: AgentCall; onChild(run: string): void }) {
  const text = useText();
  const state = callState(call);
  const { verdict, decision, error_kind, exit_code, duration_ms, files, child } = call;
  const facts = [
    verdict && text(words.verdict[verdict.decision]),
    decision && text(words.decision[decision]),
    error_kind !== null && error_kind !== 'denied' && error_kind,
    exit_code !== null && text(words.exitCode)(exit_code),
    duration_ms !== null && duration_ms > 0 && duration(duration_ms),
    files > 0 && text(words.filesChanged)(files),
  ].filter((fact) => typeof fact === 'string');
  return (
    <li>
      <span className="agent-state" data-state={state}>
        <span aria-hidden="true">{CALL_SHAPES[state]}</span> {text(words.callState[state])}
      </span>{' '}
      <code>{showUnseen(call.name)}</code> <code className="agent-arguments">{showUnseen(shownArguments(call))}</code>
      <span className="agent-call-facts quiet small">
        {facts.join(' · ')}
        {verdict && verdict.decision !== 'allow' && ` · ${showUnseen(verdict.reason)}`}
      </span>
      {child !== null && (
        <button type="button" className="small" onClick={() => onChild(child)}>
          {text(words.openChild)(showUnseen(child))}
        </button>
      )}
    </li>
  );
}
