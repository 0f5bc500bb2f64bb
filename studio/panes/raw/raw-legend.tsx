import type { ByteFate } from '../../model/bytes/coverage.ts';
import type { StreamName } from '../../model/bytes/raw-ranges.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

const FATES: readonly ByteFate[] = ['structured', 'raw', 'echo', 'unclaimed'];

/** The legend of the marks in the gutter; streams without events have none. */
export function RawLegend({ name, marked }: { name: StreamName; marked: boolean }) {
  const text = useText();
  if (!marked) {
    const said = name.stream === 'stdin' ? strings.raw.typed : name.stream === 'pty' ? strings.raw.noFates : null;
    return said && <p className="raw-legend small quiet">{text(said)}</p>;
  }
  return (
    <ul className="raw-legend small quiet" aria-label={text(strings.raw.legend)}>
      {FATES.map((fate) => (
        <li key={fate}>
          <span className="raw-fate" data-fate={fate} aria-hidden="true" /> {text(strings.raw[fate])}
        </li>
      ))}
    </ul>
  );
}
