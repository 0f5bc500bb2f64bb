import { useState } from 'react';
import { useLocation } from 'wouter';
import type { FcmpMessage, RunView } from '../../../src/protocol/index.ts';
import { failureText } from '../../model/conversation/failure-text.ts';
import { sameAgain } from '../../model/conversation/run-again.ts';
import { firstRequest } from '../../model/run-title.ts';
import { skillOfRun } from '../../model/skills/run-skill.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { Problem } from '../../parts/problem.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { useClient } from '../../state/client.tsx';
import { useModel, useSession, useView } from '../../state/use-run.tsx';
import { type say, useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** How the run ended, in one line, and what comes next. */
export function ResultLine({ run }: { run: RunView }) {
  const text = useText();
  const client = useClient();
  const { view } = useSession();
  const { status, diagnostics, events, messages, attempts } = useModel();
  const looked = useView(({ attempt }) => attempt);
  const [, navigate] = useLocation();
  const [starting, setStarting] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const last = attempts.at(-1)?.number ?? 1;

  async function runAgain(): Promise<void> {
    const again = sameAgain(run, firstRequest(messages), skillOfRun(events));
    if (!client || !again) return;
    setStarting(true);
    setError(null);
    try {
      navigate(`/runs/${(await client.createRun(again)).handle}`);
    } catch (thrown) {
      setStarting(false);
      setError(thrown as Error);
    }
  }

  return (
    <div className="dock-result">
      {status === 'failed' ? (
        <span className="dock-failed">
          <span aria-hidden="true">✕</span> <bdi>{text(strings.dock.failedWith)(whyFailed(run, messages, text))}</bdi>
        </span>
      ) : (
        <span>
          {text(strings.dock.finished)}: <StatusMark status={status} />
        </span>
      )}
      {diagnostics.length > 0 && (
        <button type="button" className="plain" onClick={() => view.change({ tab: 'diagnostics' })}>
          {text(strings.dock.diagnostics)(diagnostics.length)}
        </button>
      )}
      <span className="dock-space" />
      {looked !== null && looked < last && (
        <button type="button" onClick={() => view.change({ attempt: null })}>
          {text(strings.dock.toAttempt)(last)}
        </button>
      )}
      {client && (
        <button type="button" disabled={starting} onClick={() => void runAgain()}>
          {text(strings.dock.runAgain)}
        </button>
      )}
      <Problem error={error} />
    </div>
  );
}

function whyFailed({ last }: RunView, messages: readonly FcmpMessage[], text: typeof say): string {
  if (last?.exit_code) return text(strings.dock.exitCode)(last.exit_code);
  if (last?.signal) return text(strings.dock.endedBy)(last.signal);
  const failure = messages.findLast((message) => message.type === 'conversation.failed');
  const said =
    failure?.type === 'conversation.failed' ? text(failureText(failure.data.error)) : (last?.reason_code ?? '');
  return showUnseen(said.split('\n', 1)[0]!.slice(0, 300));
}
