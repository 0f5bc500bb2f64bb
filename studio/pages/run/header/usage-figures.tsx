import { costOf, dollars, grouped, shortCount, tokensOf } from '../../../model/run-figures.ts';
import { useModel } from '../../../state/use-run.tsx';
import { useText } from '../../../text/language.ts';
import { strings } from '../../../text/strings.ts';

/** What the engine says it used. What it does not say is a dash, never nothing. */
export function UsageFigures() {
  const text = useText();
  const { usage } = useModel();
  const [tokens, cost] = [tokensOf(usage), costOf(usage)];
  const none = text(strings.app.none);
  const exact = tokens === null ? '' : ` (${grouped(tokens)})`;
  return (
    <span className="run-usage" title={`${text(strings.run.usage)}${exact}`}>
      {text(strings.run.tokens)(tokens === null ? none : shortCount(tokens))} ·{' '}
      <span className="bytes">{cost === null ? none : dollars(cost)}</span>
    </span>
  );
}
