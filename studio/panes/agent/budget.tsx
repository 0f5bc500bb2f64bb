import { useId } from 'react';
import type { BudgetBar } from '../../model/agent/budget-bars.ts';
import { dollars, grouped } from '../../model/run-figures.ts';
import { duration } from '../../model/times.ts';
import { useText } from '../../text/language.ts';
import { agent as words } from '../../text/sections/agent.ts';

/** One budget: what is used of its limit, by the agent itself and by its children. */
export function Budget({ bar }: { bar: BudgetBar }) {
  const text = useText();
  const id = useId();
  const { name, own, children, used, limit, ownShare, childrenShare } = bar;
  const show = (value: number) =>
    name === 'time' ? duration(value) : name === 'cost' ? dollars(value) : grouped(Math.round(value));
  const label = text(words.budget[name]);
  const amount = limit === null ? text(words.noLimit)(show(used)) : text(words.usedOf)(show(used), show(limit));
  return (
    <div className="agent-budget">
      <span id={id}>{label}</span>
      <span className="bytes">{amount}</span>
      {limit !== null && (
        // biome-ignore lint/a11y/useSemanticElements: a meter has one part, and this has two.
        <span
          className="agent-meter"
          role="meter"
          aria-labelledby={id}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(used, limit)}
          aria-valuetext={amount}
        >
          <span
            className="agent-meter-own"
            data-full={ownShare + childrenShare >= 1}
            style={{ width: `${ownShare * 100}%` }}
          />
          <span className="agent-meter-children" style={{ width: `${childrenShare * 100}%` }} />
        </span>
      )}
      {children > 0 && (
        <span className="agent-budget-parts quiet small">{text(words.ownAndChildren)(show(own), show(children))}</span>
      )}
    </div>
  );
}
