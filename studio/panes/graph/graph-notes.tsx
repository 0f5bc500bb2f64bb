import { type GraphPart, graphOf } from '../../model/graph/graph-view.ts';
import { useModel } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

const number = (count: number) => count.toLocaleString('en');

/** What the picture does not show, and how to read it. */
export function GraphNotes({ part, all }: { part: GraphPart | null; all: number }) {
  const text = useText();
  const model = useModel();
  const { untied } = graphOf(model);
  const folded = part !== null && part.nodes.length < all;
  const loose = part?.edges.some(({ tie }) => tie === 'attempt') ?? false;
  return (
    <p className="graph-notes small quiet">
      {untied > 0 && <span>{text(strings.graph.untied)(number(untied), number(model.events.length))}</span>}
      {folded && <span>{text(strings.graph.folded)(number(part.nodes.length), number(all))}</span>}
      {loose && (
        <span>
          <span aria-hidden="true">┄</span> {text(strings.graph.sameAttempt)}
        </span>
      )}
    </p>
  );
}
