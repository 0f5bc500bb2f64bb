import './agent-pane.css';
import { type ReactNode, useState } from 'react';
import { TachoError } from '../../../src/protocol/index.ts';
import { treeRows } from '../../model/agent/agent-tree.ts';
import type { AgentKnown } from '../../model/agent/merge-facts.ts';
import { grouped } from '../../model/run-figures.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { Choice } from '../../parts/controls/choice.tsx';
import { Pane } from '../../parts/layout/pane.tsx';
import type { AgentSource } from '../../source/run-source.ts';
import { useSession } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { agent as words } from '../../text/sections/agent.ts';
import { strings } from '../../text/strings.ts';
import { AgentChildren } from './agent-children.tsx';
import { AgentDecisions } from './agent-decisions.tsx';
import { AgentOverview } from './agent-overview.tsx';
import { AgentPrompt } from './agent-prompt.tsx';
import { AgentSteps } from './agent-steps.tsx';
import { ForkDialog } from './fork-dialog.tsx';
import { useAgentFacts } from './use-agent-facts.ts';

const VIEWS = ['overview', 'steps', 'prompt', 'decisions', 'children'] as const;
type View = (typeof VIEWS)[number];

/** The agent of a run, from its own log: plan, steps, prompt, decisions, child agents; forks and replay. */
export function AgentPane() {
  const text = useText();
  const { source } = useSession();
  return source.agent === null ? (
    <Pane name="agent" title={text(words.title)}>
      <p className="notice">{text(words.noLog)}</p>
    </Pane>
  ) : (
    <LivePane source={source.agent} />
  );
}

function LivePane({ source }: { source: AgentSource }) {
  const text = useText();
  /** The way to the agent that is shown, from that of the run; empty for that one. */
  const [way, setWay] = useState<readonly string[]>([]);
  const [view, setView] = useState<View>('overview');
  const [step, setStep] = useState<number | null>(null);
  const [forkAt, setForkAt] = useState<number | null>(null);
  const agent = way.at(-1);
  const { known, error, loadingOf, reload } = useAgentFacts(source, agent);

  function openAgent(next: readonly string[]) {
    setWay(next);
    setStep(null);
    setView('overview');
  }

  const choice = (
    <Choice
      label={text(words.views)}
      options={VIEWS.map((value) => ({ value, label: labelOf(value, known, text) }))}
      value={view}
      onChange={setView}
    />
  );
  return (
    <Pane name="agent" title={text(words.title)}>
      <div className="agent-pane">
        <div className="agent-views">{choice}</div>
        {way.length > 0 && <Way way={way} onOpen={openAgent} />}
        {known === null ? (
          <Waiting error={error} />
        ) : (
          <>
            <Problems known={known} error={error} />
            {loadingOf !== null && (
              <p className="agent-note quiet small" role="status">
                {text(words.loadingSteps)(grouped(known.steps.length), grouped(loadingOf))}
              </p>
            )}
            <div className="agent-view" data-view={view}>
              {view === 'overview' && (
                <AgentOverview
                  known={known}
                  source={source}
                  agent={agent}
                  onStep={(chosen) => {
                    setStep(chosen);
                    setView('steps');
                  }}
                  onFork={() => setForkAt(known.last_seq)}
                />
              )}
              {view === 'steps' && (
                <AgentSteps
                  known={known}
                  step={step}
                  onStep={setStep}
                  onPrompt={() => setView('prompt')}
                  onFork={setForkAt}
                  onChild={(child) => openAgent([...way, child])}
                />
              )}
              {view === 'prompt' && (
                <AgentPrompt key={agent} known={known} source={source} agent={agent} step={step} onStep={setStep} />
              )}
              {view === 'decisions' && <AgentDecisions known={known} />}
              {view === 'children' && (
                <AgentChildren known={known} onOpen={(chosen) => openAgent([...way, ...chosen])} />
              )}
            </div>
            {forkAt !== null && (
              <ForkDialog
                at={forkAt}
                last={known.last_seq}
                fork={(request) => source.fork({ ...request, agent })}
                onClose={() => {
                  setForkAt(null);
                  reload();
                }}
              />
            )}
          </>
        )}
      </div>
    </Pane>
  );
}

function labelOf(view: View, known: AgentKnown | null, text: ReturnType<typeof useText>): string {
  const count = known === null ? 0 : countOf(view, known);
  return count === 0 ? text(words[view]) : `${text(words[view])} ${grouped(count)}`;
}

function countOf(view: View, known: AgentKnown): number {
  switch (view) {
    case 'steps':
      return known.total_steps;
    case 'decisions':
      return known.total_approvals + known.total_questions;
    case 'children':
      return treeRows(known.children).length;
    default:
      return 0;
  }
}

/** The agents above the one that is shown. */
function Way({ way, onOpen }: { way: readonly string[]; onOpen(next: readonly string[]): void }) {
  const text = useText();
  const run = text(words.title);
  const above = way.slice(0, -1);
  return (
    <p className="agent-way">
      <button type="button" onClick={() => onOpen(above)}>
        ← {text(words.backTo)(above.at(-1) ?? run)}
      </button>{' '}
      <code>{showUnseen(way.at(-1)!)}</code>
    </p>
  );
}

function Waiting({ error }: { error: Error | null }): ReactNode {
  const text = useText();
  if (error === null) return <p className="notice">{text(strings.app.loading)}</p>;
  const isEarly = error instanceof TachoError && (error.code === 'NOT_FOUND' || error.code === 'RUN_NOT_FOUND');
  return (
    <div className="notice" role="alert">
      <strong>{isEarly ? text(words.notYet) : text(strings.app.failedToLoad)(error.message)}</strong>
      {isEarly && showUnseen(error.message)}
    </div>
  );
}

function Problems({ known: { problems }, error }: { known: AgentKnown; error: Error | null }) {
  const text = useText();
  return (
    <>
      {problems.map(({ message, line }) => (
        <p key={`${line} ${message}`} className="agent-note agent-problem" role="alert">
          <span aria-hidden="true">▲</span> {text(words.problem)(showUnseen(message), line)} {text(words.shownBefore)}
        </p>
      ))}
      {error !== null && (
        <p className="agent-note agent-problem" role="alert">
          <span aria-hidden="true">✕</span> {showUnseen(error.message)}
        </p>
      )}
    </>
  );
}
