import './long-text.css';
import { useMemo, useState } from 'react';
import { grouped } from '../model/run-figures.ts';
import { firstPages, isOnePage } from '../model/text/text-pages.ts';
import { showUnseen } from '../model/text/unseen.ts';
import { useText } from '../text/language.ts';
import { strings } from '../text/strings.ts';

/** Plain text of any length: page by page, so that a line of a megabyte does not block the page. */
export function LongText({ text }: { text: string }) {
  const say = useText();
  const [most, setMost] = useState(1);
  const pages = useMemo(() => firstPages(text, most), [text, most]);
  const shown = pages.reduce((sum, page) => sum + page.length, 0);
  return (
    <div className="long-text">
      {pages.map((page, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pages are only ever added at the end.
        <div key={index} className={isOnePage(text) ? '' : 'long-text-page'}>
          {showUnseen(page)}
        </div>
      ))}
      {shown < text.length && (
        <p className="long-text-more small">
          <span className="quiet">{say(strings.conversation.shownOf)(grouped(shown), grouped(text.length))}</span>
          <button type="button" onClick={() => setMost(most + 1)}>
            {say(strings.conversation.showMore)}
          </button>
          <button type="button" onClick={() => setMost(Number.POSITIVE_INFINITY)}>
            {say(strings.conversation.showAll)}
          </button>
        </p>
      )}
    </div>
  );
}
