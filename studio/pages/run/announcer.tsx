import { useEffect, useRef, useState } from 'react';
import { isTerminal, isWaiting } from '../../../src/record/index.ts';
import { useStore } from '../../state/store.ts';
import { useModel, useSession } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** Minimum interval between announcements to screen readers. */
const EVERY_MS = 5000;

/** Announces to screen readers that events have arrived, and at once that the run is waiting or has ended. */
export function Announcer() {
  const text = useText();
  const { status } = useModel();
  const phase = useStore(useSession().connection, (connection) => connection.phase);
  const isKnown = phase === 'live' || phase === 'ended';
  const before = useRef<typeof status | null>(null);
  const [news, setNews] = useState<typeof status | null>(null);
  useEffect(() => {
    if (!isKnown) return;
    // The state at the time the page was opened is not announced.
    if (before.current !== null && before.current !== status) setNews(status);
    before.current = status;
  }, [isKnown, status]);
  return (
    <>
      <p className="heard" role="alert">
        {news !== null && isWaiting(news) && text(strings.status[news])}
        {news !== null && isTerminal(news) && text(strings.run.ended)(text(strings.status[news]))}
      </p>
      <NewEvents isLive={phase === 'live'} />
    </>
  );
}

function NewEvents({ isLive }: { isLive: boolean }) {
  const text = useText();
  const { model } = useSession();
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (!isLive) return;
    let announced = model.events.length;
    const timer = setInterval(() => {
      setCount(model.events.length - announced);
      announced = model.events.length;
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [isLive, model]);
  return (
    <p className="heard" aria-live="polite">
      {count > 0 && text(strings.run.newEvents)(count)}
    </p>
  );
}
