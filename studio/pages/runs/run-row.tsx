import { useEffect } from 'react';
import { Link } from 'wouter';
import type { RunView } from '../../../src/protocol/index.ts';
import type { DiscShape } from '../../../src/record/index.ts';
import { costOf, dollars, lastedMs, shortCount, tokensOf } from '../../model/run-figures.ts';
import { titleOf } from '../../model/run-title.ts';
import { duration } from '../../model/times.ts';
import type { RowProps } from '../../parts/layout/use-grid-rows.ts';
import { Recovered, Source } from '../../parts/seal-notes.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { useNow } from '../../parts/use-now.ts';
import { DISC_SIZE, type RunSummaries } from '../../state/run-summaries.ts';
import { useStore } from '../../state/store.ts';
import { useLanguage, useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import '../../parts/disc.css';

interface Props {
  run: RunView;
  summaries: RunSummaries;
  /** Number of its pending approvals. */
  pending: number;
  place: { index: number; start: number; size: number };
  rowProps: RowProps;
}

export function RunRow({ run, summaries, pending, place, rowProps }: Props) {
  const text = useText();
  const language = useLanguage();
  const summary = useStore(summaries, (known) => known.get(run.run_id) ?? null);
  useEffect(() => summaries.want(run), [summaries, run]);
  const [tokens, cost] = [tokensOf(run.usage), costOf(run.usage)];
  const none = text(strings.app.none);
  const started = new Date(run.created_at);

  return (
    <tr
      className="run-row"
      aria-rowindex={place.index + 2}
      style={{ height: place.size, transform: `translateY(${place.start}px)` }}
      {...rowProps}
    >
      <td className="run-discColumn">
        <RowDisc shapes={summary?.disc ?? []} />
      </td>
      <td className="run-status">
        <StatusMark status={run.status} /> <Recovered attempts={run.recovered} /> <Source source={run.source} />
        {run.queue_position !== null && (
          <span className="quiet" title={text(strings.runs.queued)(run.queue_position)}>
            {' '}
            {run.queue_position}
          </span>
        )}
      </td>
      <td className="run-titleColumn">
        <Link href={`/runs/${run.handle}`} tabIndex={-1}>
          {titleOf(run, summary?.request ?? null)}
        </Link>
      </td>
      <td className="run-engine">
        {run.engine} <span className="bytes quiet">{run.handle}</span>
      </td>
      <td className="run-started">
        <time dateTime={run.created_at} title={started.toLocaleString(language)}>
          {startedText(started, new Date(), language)}
        </time>
      </td>
      <td className="run-duration bytes">
        <Lasted run={run} />
      </td>
      <td className="run-attempts bytes">{run.attempt === 0 ? none : run.attempt}</td>
      <td className="run-tokens bytes">{tokens === null ? none : shortCount(tokens)}</td>
      <td className="run-cost bytes">{cost === null ? none : dollars(cost)}</td>
      <td className="run-diagnostics bytes">
        <Count count={summary?.diagnostics ?? null} shape="▲" />
      </td>
      <td className="run-approvals bytes" data-waits={pending > 0}>
        <Count count={pending} shape="◆" />
      </td>
    </tr>
  );
}

/** A dash for an unknown number; a muted zero. */
function Count({ count, shape }: { count: number | null; shape: string }) {
  const text = useText();
  if (count === null) return text(strings.app.none);
  return count === 0 ? <span className="quiet">0</span> : `${shape} ${count}`;
}

/** Rerenders every second, so that the row need not. */
function Lasted({ run }: { run: RunView }) {
  const now = useNow({ runs: run.status === 'running' });
  return duration(lastedMs(run, now));
}

/** The disc of a run in its row. Screen readers skip it, because the row has the same facts as text. */
function RowDisc({ shapes }: { shapes: readonly DiscShape[] }) {
  return (
    <svg
      className="disc"
      width={DISC_SIZE}
      height={DISC_SIZE}
      viewBox={`0 0 ${DISC_SIZE} ${DISC_SIZE}`}
      aria-hidden="true"
    >
      {shapes.map(({ kind, d }) => (
        <path key={kind} className={`disc-${kind}`} fillRule="evenodd" d={d} />
      ))}
    </svg>
  );
}

/** The start of a run, as short as possible: the time today, the day this year, the date before that. */
function startedText(started: Date, now: Date, language: string): string {
  const time = started.toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit', hour12: false });
  if (started.toDateString() === now.toDateString()) return time;
  const isThisYear = started.getFullYear() === now.getFullYear();
  const day = started.toLocaleDateString(language, {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
  });
  return isThisYear ? `${day} ${time}` : day;
}
