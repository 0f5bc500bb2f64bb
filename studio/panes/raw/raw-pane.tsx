import './raw-pane.css';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ByteRange } from '../../../src/protocol/index.ts';
import type { MarkedSpan } from '../../model/bytes/raw-marks.ts';
import { type ByteSpan, fileName, isInStream } from '../../model/bytes/raw-ranges.ts';
import { rawTarget } from '../../model/bytes/raw-target.ts';
import { grouped } from '../../model/run-figures.ts';
import { sameSelection } from '../../model/selection.ts';
import { Choice } from '../../parts/controls/choice.tsx';
import { Pane } from '../../parts/layout/pane.tsx';
import { useAction } from '../../state/actions.tsx';
import { coverageOf } from '../../state/coverage-of.ts';
import { selectEvent } from '../../state/select.ts';
import { useModel, useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { linkTo } from './link-to.ts';
import { RawEmpty } from './raw-empty.tsx';
import { RawHead } from './raw-head.tsx';
import { RawLegend } from './raw-legend.tsx';
import { RawSearchBox } from './raw-search.tsx';
import { type Look, RawView } from './raw-view.tsx';
import { useBytePlayhead } from './use-byte-playhead.ts';
import { useRawSearch } from './use-raw-search.ts';
import { END, useRawWindow } from './use-raw-window.ts';

const LOOKS = ['text', 'colours', 'hex'] as const;

/** The raw bytes: the source of an event, and the use of every byte. */
export function RawPane() {
  const text = useText();
  const session = useSession();
  const model = useModel();
  const coverage = coverageOf(session);
  const selection = useView((view) => view.selection);
  const attempt = useView((view) => view.attempt);
  const following = useView((view) => view.following);
  const [look, setLook] = useState<Look>('text');
  const [q, setQ] = useState('');
  const [picked, setPicked] = useState<ByteSpan | null>(null);
  const [chosen, setChosen] = useState({ selection, index: 0 });
  const index = sameSelection(chosen.selection, selection) ? chosen.index : 0;

  const target = rawTarget(model, coverage, { selection, attempt, index });
  const { name, current } = target;
  const place = current?.byte_from ?? (following && session.isLive ? END : 0);
  const { reader, state } = useRawWindow(name, place);
  const { search, more } = useRawSearch(name, q);
  useBytePlayhead(name, current);

  // A click on bytes selects their event, and does not scroll.
  const clicked = useRef(false);
  const jumpTo = JSON.stringify([name, place, index, current?.byte_to]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same bytes asked for again are a jump of their own.
  const jump = useMemo(() => ({ byte: clicked.current ? null : place }), [jumpTo, selection]);
  useEffect(() => {
    clicked.current = false;
  });

  const match = search.matches.findIndex(({ from, to }) => current?.byte_from === from && current.byte_to === to);
  const { stream, attempt: attempt_number } = name;
  const rangeOf = ({ from, to }: ByteSpan): ByteRange => ({ attempt_number, stream, byte_from: from, byte_to: to });
  function selectBytes(span: ByteSpan, step: 'push' | 'replace'): void {
    session.view.change({ selection: { kind: 'bytes', range: rangeOf(span) } }, step);
  }

  /** To the next match of the search; without a search, to the next range of the event. */
  function step(by: 1 | -1): boolean {
    if (q === '') {
      if (target.ranges.length < 2) return false;
      setChosen({ selection, index: (index + by + target.ranges.length) % target.ranges.length });
      return true;
    }
    const here = current?.byte_from ?? -1;
    const next =
      by === 1
        ? search.matches.findIndex(({ from }, at) => (match >= 0 ? at > match : from > here))
        : search.matches.findLastIndex(({ from }, at) => (match >= 0 ? at < match : from < here));
    if (next < 0 && by === 1 && search.next !== null) more();
    const found = search.matches.at(next < 0 ? (by === 1 ? 0 : -1) : next);
    if (found) selectBytes(found, 'replace');
    return found !== undefined;
  }
  useAction('next-match', () => step(1), 'raw');
  useAction('previous-match', () => step(-1), 'raw');

  /** To the event of the bytes after or before these. */
  function toNeighbour(by: 1 | -1): boolean {
    const at = by === 1 ? (current?.byte_to ?? 0) : (current?.byte_from ?? 0) - 1;
    const seq = at < 0 ? null : coverage.eventAt(name, at);
    if (seq !== null) selectEvent(session, seq, { step: 'replace' });
    return seq !== null;
  }
  useAction('next-row', () => toNeighbour(1), 'raw');
  useAction('previous-row', () => toNeighbour(-1), 'raw');
  useAction('first', () => selectBytes({ from: 0, to: 0 }, 'replace'), 'raw');
  useAction(
    'last',
    () => reader.window && selectBytes({ from: reader.window.total, to: reader.window.total }, 'replace'),
    'raw',
  );

  const window = state.phase === 'ready' ? state.window : null;
  const marks = useMemo((): MarkedSpan[] => {
    const ranges = target.ranges.filter((range) => isInStream(range, name));
    return [
      ...ranges.map(({ byte_from: from, byte_to: to }) => ({ from, to, mark: 'range' as const })),
      ...search.matches.map((span) => ({ ...span, mark: 'match' as const })),
    ];
  }, [target.ranges, name, search.matches]);
  const tooShort = window !== null && current !== null && current.byte_to > window.total;

  return (
    <Pane
      name="raw"
      title={text(strings.tabs.raw)}
      tools={
        <Choice
          label={text(strings.raw.look)}
          options={LOOKS.map((value) => ({ value, label: text(strings.raw[value]) }))}
          value={look}
          onChange={(value) => setLook(value)}
        />
      }
    >
      <div className="raw-pane">
        <RawHead target={target} total={window?.total ?? null} index={index} />
        <div className="raw-tools">
          <RawSearchBox name={name} value={q} search={search} current={match} onChange={setQ} onStep={step} />
          {picked && (
            <button
              type="button"
              className="small"
              onClick={() => {
                selectBytes(picked, 'push');
                setPicked(null);
                void navigator.clipboard.writeText(linkTo(rangeOf(picked)));
              }}
            >
              {text(strings.raw.linkSelected)}
            </button>
          )}
        </div>
        {target.seq !== null && current === null && (
          <p className="raw-note small" role="status">
            {text(strings.raw.noBytes)(target.seq)}
          </p>
        )}
        {tooShort && (
          <p className="raw-note small" role="status">
            {text(strings.raw.tooShort)(fileName(name), grouped(window.total))}
          </p>
        )}
        {window && window.bytes.length > 0 ? (
          <RawView
            key={`${stream}.${attempt_number}`}
            name={name}
            window={window}
            look={look}
            marks={marks}
            coverage={coverage}
            settled={model.attempts.every(({ number, ending }) => number !== attempt_number || ending !== null)}
            jump={jump}
            onByte={(byte) => {
              const seq = coverage.eventAt(name, byte);
              if (seq === null) return;
              clicked.current = true;
              selectEvent(session, seq);
            }}
            onPicked={setPicked}
            onNearStart={() => reader.before()}
            onNearEnd={() => reader.after()}
          />
        ) : (
          <RawEmpty name={name} state={state} />
        )}
        <RawLegend name={name} marked={coverage.has(name)} />
      </div>
    </Pane>
  );
}
