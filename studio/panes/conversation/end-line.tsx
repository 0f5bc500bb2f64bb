import type { Row } from '../../model/conversation/conversation-rows.ts';
import { costOf, dollars, shortCount, tokensOf } from '../../model/run-figures.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { StatusMark } from '../../parts/status-mark.tsx';
import { useModel } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** How the run ended, and what it used where the engine told. */
export function EndLine({ row }: { row: Row<'end'> }) {
  const text = useText();
  const { usage } = useModel();
  const tokens = tokensOf(usage);
  const cost = costOf(usage);
  const used = [
    tokens === null ? text(strings.app.none) : text(strings.run.tokens)(shortCount(tokens)),
    ...(cost === null ? [] : [dollars(cost)]),
  ];
  return (
    <span className="conversation-line conversation-end">
      <StatusMark status={row.status} />
      {row.message !== null && <bdi className="conversation-message">{showUnseen(row.message.slice(0, 1000))}</bdi>}
      <span className="conversation-state bytes quiet">{used.join(' · ')}</span>
    </span>
  );
}
