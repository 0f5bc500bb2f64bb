import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import type { AgentStep } from '../../../src/protocol/index.ts';
import type { AgentKnown } from '../../model/agent/merge-facts.ts';
import { stepState, stepSummary } from '../../model/agent/step-summary.ts';
import { seqAt, stepAt, stepMs } from '../../model/agent/step-times.ts';
import { dollars, shortCount, tokensOf } from '../../model/run-figures.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { clock, duration } from '../../model/times.ts';
import { useRowHeight } from '../../parts/layout/use-row-height.ts';
import { useAction } from '../../state/actions.tsx';
import { selectEvent } from '../../state/select.ts';
import { useModel, useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { agent as words } from '../../text/sections/agent.ts';
import { CALL_SHAPES } from './call-shapes.ts';
import { StepDetails } from './step-details.tsx';

const COLUMNS = ['step', 'time', 'summary', 'tokens', 'cost', 'duration'] as const;

interface Props {
  known: AgentKnown;
  step: number | null;
  onStep(step: number): void;
  onPrompt(): void;
  onFork(at: number): void;
  onChild(run: string): void;
}

/** All steps as a table, and the chosen one below it. Choosing one moves the playhead to its time. */
export function AgentSteps({ known, step, onStep, onPrompt, onFork, onChild }: Props) {
  const text = useText();
  const session = useSession();
  const model = useModel();
  const { steps } = known;
  const atPlayhead = usePlayheadStep(steps);
  const shown = step ?? atPlayhead ?? steps.at(-1)?.step ?? null;
  const current = steps.findIndex((one) => one.step === shown);
  const focusable = Math.max(0, current);
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = useRowHeight();
  const list = useVirtualizer({
    count: steps.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    rangeExtractor: (range) => {
      const indexes = defaultRangeExtractor(range);
      return indexes.includes(focusable) ? indexes : [...indexes, focusable].sort((a, b) => a - b);
    },
  });
  useEffect(() => {
    if (current >= 0) list.scrollToIndex(current, { align: 'auto' });
  }, [current, list]);

  function go(index: number): void {
    const chosen = steps[Math.max(0, Math.min(steps.length - 1, index))];
    if (!chosen) return;
    onStep(chosen.step);
    const seq = seqAt(model.events, chosen.started_at);
    if (seq !== null) selectEvent(session, seq, { step: 'replace' });
    const isFocused = scroller.current?.contains(document.activeElement);
    if (isFocused) requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus());
  }
  useAction('next-row', () => go(current + 1), 'agent');
  useAction('previous-row', () => go(current - 1), 'agent');
  useAction('first', () => go(0), 'agent');
  useAction('last', () => go(steps.length - 1), 'agent');

  function press(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
    const places: Record<string, number> = {
      ArrowDown: focusable + 1,
      ArrowUp: focusable - 1,
      PageDown: focusable + page,
      PageUp: focusable - page,
      Home: 0,
      End: steps.length - 1,
    };
    const to = places[event.key];
    if (to === undefined || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    go(to);
  }

  if (steps.length === 0) return <p className="notice">{text(words.noSteps)}</p>;
  return (
    <div className="agent-steps">
      {/* biome-ignore lint/a11y/useSemanticElements: rows are laid out by a virtual list, not by a table. */}
      <div
        className="agent-grid"
        role="grid"
        aria-label={text(words.steps)}
        aria-rowcount={steps.length + 1}
        onKeyDown={press}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: as above. */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: nothing can be done with the head. */}
        <div role="row" className="agent-row agent-row-head small" aria-rowindex={1}>
          {COLUMNS.map((name) => (
            // biome-ignore lint/a11y/useSemanticElements: as above.
            // biome-ignore lint/a11y/useFocusableInteractive: as above.
            <div key={name} role="columnheader" className={`agent-cell agent-${name}`}>
              {text(words.column[name])}
            </div>
          ))}
        </div>
        <div className="agent-scroll" ref={scroller} role="presentation">
          <div role="presentation" className="agent-rows" style={{ height: list.getTotalSize() }}>
            {list.getVirtualItems().map(({ index, start }) => (
              // biome-ignore lint/a11y/useSemanticElements: as above.
              // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys.
              <div
                key={steps[index]!.step}
                role="row"
                className="agent-row"
                aria-rowindex={index + 2}
                aria-selected={index === current}
                data-playhead={steps[index]!.step === atPlayhead}
                tabIndex={index === focusable ? 0 : -1}
                style={{ transform: `translateY(${start}px)` }}
                onClick={() => go(index)}
              >
                <StepCells step={steps[index]!} start={model.start} />
              </div>
            ))}
          </div>
        </div>
      </div>
      {current >= 0 && <StepDetails step={steps[current]!} onPrompt={onPrompt} onFork={onFork} onChild={onChild} />}
    </div>
  );
}

/** The step that was going on at the playhead. */
function usePlayheadStep(steps: readonly AgentStep[]): number | null {
  const session = useSession();
  const { start } = useModel();
  useView((view) => view.time);
  return start === null ? null : stepAt(steps, start + session.time);
}

function StepCells({ step, start }: { step: AgentStep; start: number | null }) {
  const text = useText();
  const tokens = tokensOf(step.usage);
  const state = stepState(step);
  return (
    <>
      <Cell name="step">{step.step}</Cell>
      <Cell name="time">{start === null ? '' : clock(Math.max(0, Date.parse(step.started_at) - start))}</Cell>
      <Cell name="summary">
        {state !== 'ok' && (
          <span className="agent-state" data-state={state} title={text(words.callState[state])}>
            {CALL_SHAPES[state]}{' '}
          </span>
        )}
        {showUnseen(stepSummary(step))}
      </Cell>
      <Cell name="tokens">{tokens === null ? '–' : shortCount(tokens)}</Cell>
      <Cell name="cost">{step.cost_usd === null ? '–' : dollars(step.cost_usd)}</Cell>
      <Cell name="duration">{duration(stepMs(step))}</Cell>
    </>
  );
}

function Cell({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: rows have the focus, cells do not.
    // biome-ignore lint/a11y/useSemanticElements: rows are laid out by a virtual list, not by a table.
    <div role="gridcell" className={`agent-cell agent-${name}`}>
      {children}
    </div>
  );
}
