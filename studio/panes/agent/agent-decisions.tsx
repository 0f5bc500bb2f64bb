import type { AgentApproval, AgentQuestion } from '../../../src/protocol/index.ts';
import { agentDecisions, answeredPairs } from '../../model/agent/agent-decisions.ts';
import type { AgentKnown } from '../../model/agent/merge-facts.ts';
import { seqAt } from '../../model/agent/step-times.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { clock } from '../../model/times.ts';
import { selectEvent } from '../../state/select.ts';
import { useModel, useSession } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { agent as words } from '../../text/sections/agent.ts';

/** What the agent asked people, and what they decided. Open requests are decided at the bottom of the page. */
export function AgentDecisions({ known }: { known: AgentKnown }) {
  const text = useText();
  const decisions = agentDecisions(known);
  if (decisions.length === 0) return <p className="notice">{text(words.noDecisions)}</p>;
  return (
    <ul className="agent-decisions">
      {decisions.map((decision) => (
        <li key={decision.id} data-open={decision.isOpen}>
          {decision.kind === 'approval' ? (
            <Approval approval={decision.approval} />
          ) : (
            <Question question={decision.question} />
          )}
        </li>
      ))}
    </ul>
  );
}

function Approval({ approval }: { approval: AgentApproval }) {
  const text = useText();
  const { tool, summary, reason, decision, decided_reason, by, step, requested_at } = approval;
  const isNo = decision === 'denied' || decision === 'abort';
  return (
    <>
      <p className="agent-decision-head">
        <span className="agent-state" data-state={decision === null ? 'waiting' : isNo ? 'denied' : 'ok'}>
          <span aria-hidden="true">{decision === null ? '◆' : isNo ? '⊘' : '✓'}</span>{' '}
          {decision === null ? text(words.pending) : text(words.decision[decision])}
        </span>{' '}
        <strong>{text(words.approval)}</strong> <code>{showUnseen(tool)}</code>
        <When at={requested_at} step={step} />
      </p>
      <pre className="agent-request">{showUnseen(summary)}</pre>
      <p className="quiet small">
        {showUnseen(reason)}
        {by !== null && ` · ${text(words.by)(showUnseen(by))}`}
        {decided_reason !== null && `: ${showUnseen(decided_reason)}`}
      </p>
    </>
  );
}

function Question({ question }: { question: AgentQuestion }) {
  const text = useText();
  const isOpen = question.answers === null;
  return (
    <>
      <p className="agent-decision-head">
        <span className="agent-state" data-state={isOpen ? 'waiting' : 'ok'}>
          <span aria-hidden="true">{isOpen ? '◐' : '✓'}</span>{' '}
          {isOpen ? text(words.pending) : text(words.by)(showUnseen(question.by ?? ''))}
        </span>{' '}
        <strong>{text(words.question)}</strong>
        <When at={question.asked_at} step={question.step} />
      </p>
      <dl className="agent-answers">
        {answeredPairs(question).map(({ text: asked, answer }) => (
          <div key={asked}>
            <dt>{showUnseen(asked)}</dt>
            <dd>{answer === null ? <span className="quiet">{text(words.noAnswer)}</span> : showUnseen(answer)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** The moment in the run; a press goes there. */
function When({ at, step }: { at: string; step: number }) {
  const text = useText();
  const session = useSession();
  const { start, events } = useModel();
  const seq = seqAt(events, at);
  if (start === null || seq === null) return null;
  return (
    <button type="button" className="plain small agent-when" title={at} onClick={() => selectEvent(session, seq)}>
      {clock(Math.max(0, Date.parse(at) - start))} · {text(words.inStep)(step)}
    </button>
  );
}
