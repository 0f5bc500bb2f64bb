import './graph-pane.css';
import { useCallback, useDeferredValue, useMemo, useRef, useState } from 'react';
import type { GraphNode } from '../../model/graph/graph.ts';
import { foldGraph } from '../../model/graph/graph-fold.ts';
import { type GraphPart, graphAround, graphOf, nodeOfSelection, wholeGraph } from '../../model/graph/graph-view.ts';
import { Pane } from '../../parts/layout/pane.tsx';
import { useMedia } from '../../parts/layout/use-media.ts';
import { useAction } from '../../state/actions.tsx';
import { useModel, useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { GraphDrawing } from './graph-drawing.tsx';
import { GraphList } from './graph-list.tsx';
import { type Form, GraphTools, type Scope } from './graph-tools.tsx';

const number = (count: number) => count.toLocaleString('en');

const [MIN_ZOOM, MAX_ZOOM] = [0.2, 2];

/** What led to what. */
export function GraphPane() {
  const text = useText();
  const { view } = useSession();
  const model = useModel();
  // While events come quickly, rendering may lag behind.
  const length = useDeferredValue(model.events.length);
  const selection = useView((now) => now.selection);
  const [scope, setScope] = useState<Scope>('around');
  const [zoom, setZoom] = useState(1);
  const narrow = useMedia('(max-width: 699px)');
  const [form, setForm] = useState<Form>('list');
  const frame = useRef<HTMLDivElement>(null);

  // Selecting something in the picture does not change the picture.
  const [picked, setPicked] = useState<{ seq: number; node: string; center: string } | null>(null);
  const isPicked = picked !== null && selection?.kind === 'event' && selection.seq === picked.seq;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the model is one object that grows.
  const found = useMemo(() => nodeOfSelection(model, selection), [model, length, selection]);
  const selected = isPicked ? picked.node : found;
  const center = isPicked ? picked.center : found;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the model is one object that grows.
  const shown = useMemo(() => {
    const graph = graphOf(model);
    if (scope === 'whole') return wholeGraph(graph);
    return center === null ? null : graphAround(graph, center);
  }, [model, length, scope, center]);
  const part = useMemo(() => shown && foldGraph(shown, center), [shown, center]);

  const pick = useCallback(
    ({ id, seq }: GraphNode) => {
      if (seq === null) return;
      setPicked({ seq, node: id, center: center ?? id });
      view.change({ selection: { kind: 'event', seq } });
    },
    [view, center],
  );
  function open({ seq }: GraphNode) {
    if (seq !== null) view.change({ selection: { kind: 'event', seq }, tab: 'event' });
  }
  const zoomBy = useCallback(
    (factor: number) => setZoom((now) => Math.max(MIN_ZOOM, Math.min(MAX_ZOOM, now * factor))),
    [],
  );
  function fit() {
    const { clientWidth, clientHeight, dataset } = frame.current!;
    const wanted = Math.min(clientWidth / Number(dataset.width), clientHeight / Number(dataset.height));
    setZoom(Math.max(MIN_ZOOM, Math.min(1, wanted)));
    frame.current!.scrollTo(0, 0);
  }
  // The key that opens this pane: here it centers the selected node.
  useAction('graph', () => setPicked(picked && { ...picked, center: picked.node }), 'graph');
  useAction('open', () => (selection === null ? false : view.change({ tab: 'event' })), 'graph');

  const drawn = !narrow || form === 'picture';
  const listed = !narrow || form === 'list';
  return (
    <Pane
      name="graph"
      title={text(strings.tabs.graph)}
      tools={
        <GraphTools
          scope={scope}
          onScope={setScope}
          form={narrow ? form : null}
          onForm={setForm}
          zoom={drawn && part !== null ? { by: zoomBy, fit } : null}
        />
      }
    >
      {part === null || part.nodes.length === 0 ? (
        <p className="notice">
          {text(model.events.length === 0 ? strings.graph.noneYet : strings.graph.selectSomething)}
        </p>
      ) : (
        <div className="graph" data-form={narrow ? form : 'both'}>
          {drawn && (
            <GraphDrawing part={part} selected={selected} zoom={zoom} onZoom={zoomBy} onPick={pick} frame={frame} />
          )}
          {listed && <GraphList part={part} selected={selected} onPick={pick} onOpen={open} />}
        </div>
      )}
      <GraphNotes part={part} all={shown?.nodes.length ?? 0} />
    </Pane>
  );
}

/** What the picture leaves out, and how to read it. */
function GraphNotes({ part, all }: { part: GraphPart | null; all: number }) {
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
