import { useVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState } from 'react';
import type { LogLine } from '../../model/terminals/output-log.ts';
import { useAction } from '../../state/actions.tsx';
import { useText } from '../../text/language.ts';
import { terminals as terminalTexts } from '../../text/sections/terminals.ts';
import { LogLineView } from './log-line.tsx';

const LINE = 20;
/** Distance from the end that counts as scrolled away, not just a touch of the wheel. */
const AWAY = 40;

/** The visible lines; at the end it follows new output until the user scrolls up. */
export function LogView({ lines }: { lines: readonly LogLine[] }) {
  const text = useText();
  const scroller = useRef<HTMLElement>(null);
  const before = useRef(0);
  const [isFollowing, setFollowing] = useState(true);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE,
    getItemKey: (at) => lines[at]!.id,
    overscan: 20,
  });
  const size = virtual.getTotalSize();
  useAction('first', () => {
    setFollowing(false);
    scroller.current?.scrollTo(0, 0);
  });
  useAction('last', () => setFollowing(true));

  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever makes it longer moves its end.
  useLayoutEffect(() => {
    const { current } = scroller;
    if (isFollowing && current) current.scrollTop = current.scrollHeight;
  }, [isFollowing, size, lines]);

  function scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = scroller.current!;
    const isAway = scrollHeight - clientHeight - scrollTop > AWAY;
    // When the end moves on, the user has not scrolled up.
    if (isAway && scrollTop < before.current) setFollowing(false);
    else if (!isAway) setFollowing(true);
    before.current = scrollTop;
  }

  return (
    <>
      <section
        ref={scroller}
        className="log-view bytes"
        aria-label={text(terminalTexts.output)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        onScroll={scrolled}
      >
        {lines.length === 0 && <p className="notice">{text(terminalTexts.nothingPrinted)}</p>}
        <div className="log-lines" style={{ height: size }}>
          {virtual.getVirtualItems().map(({ key, index, start }) => (
            <LogLineView key={key} measure={virtual.measureElement} line={lines[index]!} index={index} top={start} />
          ))}
        </div>
      </section>
      {!isFollowing && (
        <button type="button" className="log-to-end" onClick={() => setFollowing(true)}>
          {text(terminalTexts.toEnd)} ↓
        </button>
      )}
    </>
  );
}
