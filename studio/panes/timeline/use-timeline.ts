import { useEffect, useMemo, useRef, useState } from 'react';
import { isTerminal, isWaiting, lengthOf } from '../../../src/record/index.ts';
import { compressedAxis, type Gap, honestAxis, idleGaps, idleShare, scaleOf } from '../../model/timeline/time-axis.ts';
import { useStore } from '../../state/store.ts';
import { useModel, useSession } from '../../state/use-run.tsx';

/** A part of the axis. */
export interface Seen {
  from: number;
  to: number;
}

/** Maximum share of the strip for a wait that has not ended. */
const OPEN_WAIT_SHARE = 0.15;
const MIN_SEEN_MS = 50;
const NO_GAPS: readonly Gap[] = [];

/** What the strip shows: which part of the run, on which axis, how wide. */
export function useTimeline() {
  const session = useSession();
  const model = useModel();
  const recorded = useStore(session.recordings.version);
  const version = `${useStore(session.version)}.${recorded}`;
  const until = useEnd();
  const [width, place] = useWidth();
  const [compressed, setCompressed] = useState(false);
  const [zoomed, setZoomed] = useState<Seen | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: these objects grow in place, and their version changes.
  const gaps = useMemo(() => idleGaps(model, session.recordings.all(), until), [version, until]);
  const axis = useMemo(() => (compressed ? compressedAxis(until, gaps) : honestAxis(until)), [compressed, until, gaps]);
  const seen = useMemo(() => zoomed ?? { from: 0, to: Math.max(1, axis.length) }, [zoomed, axis]);
  const scale = useMemo(() => scaleOf(axis, seen, width), [axis, seen, width]);

  /** Never beyond the ends of the run, never so close that marks cannot be distinguished. */
  function see({ from, to }: Seen) {
    const span = Math.max(MIN_SEEN_MS, to - from);
    if (span >= axis.length) return setZoomed(null);
    const begin = Math.max(0, Math.min(from, axis.length - span));
    setZoomed({ from: begin, to: begin + span });
  }

  return {
    model,
    until,
    axis,
    seen,
    scale,
    gaps: compressed ? gaps : NO_GAPS,
    place,
    see,
    zoomed: zoomed !== null,
    showWhole: () => setZoomed(null),
    idle: idleShare(until, gaps),
    compressed,
    setCompressed: (on: boolean) => {
      setZoomed(null);
      setCompressed(on);
    },
  };
}

/** The end of the axis: now, while the run is live; its final end, while its history is loading. */
function useEnd(): number {
  const session = useSession();
  const model = useModel();
  const run = useStore(session.run);
  const { phase } = useStore(session.connection);
  const live = phase === 'live' && !isTerminal(model.status);
  const now = useNow(live);
  const length = lengthOf(model);
  if (phase === 'backfilling' && run) {
    return Math.max(length, Date.parse(run.updated_at) - Date.parse(run.created_at));
  }
  if (!live || model.start === null) return length;
  const open = Math.max(length, now - model.start);
  return isWaiting(model.status) ? Math.min(open, Math.max(length * (1 + OPEN_WAIT_SHARE), length + 1000)) : open;
}

function useNow(running: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}

function useWidth(): [number, React.RefObject<HTMLDivElement | null>] {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!place.current) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return [width, place];
}
