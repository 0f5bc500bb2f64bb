import { useEffect, useMemo, useState } from 'react';
import type { AgentPrompt as Prompt } from '../../../src/protocol/index.ts';
import type { AgentKnown } from '../../model/agent/merge-facts.ts';
import { toolNames } from '../../model/agent/prompt-pieces.ts';
import { grouped } from '../../model/run-figures.ts';
import { Problem } from '../../parts/problem.tsx';
import type { AgentSource } from '../../source/run-source.ts';
import { useText } from '../../text/language.ts';
import { agent as words } from '../../text/sections/agent.ts';
import { strings } from '../../text/strings.ts';
import { PromptMessage } from './prompt-message.tsx';

interface Props {
  known: AgentKnown;
  source: AgentSource;
  agent: string | undefined;
  step: number | null;
  onStep(step: number): void;
}

/** The prompt of a step: every message, and which of its bytes came from where. */
export function AgentPrompt({ known, source, agent, step, onStep }: Props) {
  const text = useText();
  const last = known.steps.at(-1)?.step ?? null;
  const chosen = step ?? last;
  const { prompt, error, more } = usePrompt(source, agent, chosen);
  const index = known.steps.findIndex((one) => one.step === chosen);
  const tools = useMemo(() => toolNames(prompt?.messages ?? []), [prompt]);

  if (chosen === null) return <p className="notice">{text(words.noSteps)}</p>;
  const walk = (by: number) => {
    const next = known.steps[index + by];
    if (next) onStep(next.step);
  };
  return (
    <div className="agent-prompt">
      <p className="agent-prompt-head">
        <label>
          {text(words.ofStep)}{' '}
          <select value={chosen} onChange={({ target }) => onStep(Number(target.value))}>
            {known.steps.map((one) => (
              <option key={one.step} value={one.step}>
                {one.step}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          aria-label={text(words.previous)}
          title={text(words.previous)}
          disabled={index <= 0}
          onClick={() => walk(-1)}
        >
          ←
        </button>
        <button
          type="button"
          aria-label={text(words.next)}
          title={text(words.next)}
          disabled={index < 0 || index >= known.steps.length - 1}
          onClick={() => walk(1)}
        >
          →
        </button>
        {prompt && (
          <span className="quiet small">
            {text(words.messages)(
              grouped(prompt.messages.length),
              grouped(prompt.total_messages),
              grouped(prompt.chars),
            )}
          </span>
        )}
      </p>
      <Problem error={error} />
      {prompt === null && error === null && <p className="quiet">{text(strings.app.loading)}</p>}
      <ol className="agent-messages">
        {prompt?.messages.map((message) => (
          <PromptMessage key={message.index} message={message} tools={tools} />
        ))}
      </ol>
      {prompt?.next_message != null && (
        <button type="button" onClick={more}>
          {text(words.moreMessages)}
        </button>
      )}
    </div>
  );
}

/** One page of messages at a time. */
function usePrompt(source: AgentSource, agent: string | undefined, step: number | null) {
  const [prompt, setPrompt] = useState<Prompt | null>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    if (step === null) return;
    const ending = new AbortController();
    setError(null);
    source.prompt({ agent, step }, ending.signal).then(setPrompt, (thrown: Error) => {
      if (!ending.signal.aborted) setError(thrown);
    });
    return () => ending.abort();
  }, [source, agent, step]);

  function more() {
    if (!prompt || prompt.next_message === null) return;
    source.prompt({ agent, step: prompt.step, after_message: prompt.next_message }).then(
      (next) => setPrompt({ ...next, messages: [...prompt.messages, ...next.messages] }),
      (thrown: Error) => setError(thrown),
    );
  }
  return { prompt: prompt?.step === step ? prompt : null, error, more };
}
