import type { ReactNode } from 'react';
import { budgetBars } from '../../model/agent/budget-bars.ts';
import type { AgentKnown } from '../../model/agent/merge-facts.ts';
import { grouped } from '../../model/run-figures.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { LongText } from '../../parts/long-text.tsx';
import type { AgentSource } from '../../source/run-source.ts';
import { useText } from '../../text/language.ts';
import { agent as words } from '../../text/sections/agent.ts';
import { PlanList } from '../conversation/plan-list.tsx';
import { AgentStatusMark } from './agent-status.tsx';
import { Budget } from './budget.tsx';
import { ReplaySection } from './replay-section.tsx';

interface Props {
  known: AgentKnown;
  source: AgentSource;
  agent: string | undefined;
  onStep(step: number): void;
  onFork(): void;
}

/** What the agent is about: its task, what it has used, its plan, and what became of it. */
export function AgentOverview({ known, source, agent, onStep, onFork }: Props) {
  const text = useText();
  const { plan, forks } = known;
  return (
    <div className="agent-sections">
      <Facts known={known} />
      <section>
        <h3>{text(words.budgets)}</h3>
        {known.exhausted && (
          <p className="agent-problem">
            <span aria-hidden="true">▲</span> {text(words.exhausted)(known.exhausted.budget)}
          </p>
        )}
        {budgetBars(known).map((bar) => (
          <Budget key={bar.name} bar={bar} />
        ))}
      </section>
      <section>
        <h3>{text(words.plan)}</h3>
        {plan === null ? (
          <p className="quiet">{text(words.noPlan)}</p>
        ) : (
          <>
            {plan.explanation !== null && <p className="quiet">{showUnseen(plan.explanation)}</p>}
            <PlanList items={plan.items.map(({ step, status }) => ({ text: step, status }))} />
          </>
        )}
      </section>
      <ReplaySection key={agent} source={source} agent={agent} steps={known.steps} onStep={onStep} />
      <section>
        <h3>{text(words.forks)}</h3>
        {forks.length > 0 && (
          <ul className="agent-list">
            {forks.map(({ run_id, seq, workspace }) => (
              <li key={`${workspace} ${run_id}`}>
                <code>{text(words.forkIn)(showUnseen(run_id), seq)}</code>
                <span className="quiet small">{showUnseen(workspace)}</span>
              </li>
            ))}
          </ul>
        )}
        <button type="button" onClick={onFork}>
          {text(words.forkRun)}
        </button>
      </section>
    </div>
  );
}

function Facts({ known }: { known: AgentKnown }) {
  const text = useText();
  const { status, result, task, model, run_id, workspace, resumed, forked_from, last_seq } = known;
  const rows: [label: string, value: ReactNode][] = [
    [
      text(words.facts.status),
      <span key="status">
        <AgentStatusMark status={status} />
        {status === 'interrupted' && <span className="quiet"> · {text(words.interruptedMeans)}</span>}
        {result?.reason && (
          <>
            {' '}
            <code>{result.reason}</code>
          </>
        )}
      </span>,
    ],
    [text(words.facts.task), task !== '' && <LongText key="task" text={task} />],
    [text(words.facts.result), result !== null && result.text !== '' && <LongText key="result" text={result.text} />],
    [text(words.facts.model), showUnseen(model)],
    [text(words.facts.runId), <code key="id">{showUnseen(run_id)}</code>],
    [text(words.facts.workspace), showUnseen(workspace)],
    [text(words.facts.events), grouped(last_seq)],
    [text(words.facts.resumed), resumed > 0 && text(words.times)(resumed)],
    [
      text(words.facts.forkedFrom),
      forked_from !== null && text(words.atEvent)(showUnseen(forked_from.run_id), forked_from.seq),
    ],
  ];
  return (
    <dl className="agent-facts">
      {rows.map(
        ([label, value]) =>
          value && (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
