import { type RefObject, useEffect, useMemo } from 'react';
import type { GraphNode } from '../../model/graph/graph.ts';
import { layoutGraph, NODE_HEIGHT, type PlacedNode } from '../../model/graph/graph-layout.ts';
import type { GraphPart } from '../../model/graph/graph-view.ts';
import { useWidth } from '../../parts/layout/use-width.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { clipText, kindWord, nodeLabel, shapeOf } from './node-words.ts';

/** Approximate width of a small character. */
const COLUMN = 5.8;
const SHAPE_WIDTH = 22;

interface Props {
  part: GraphPart;
  selected: string | null;
  zoom: number;
  onZoom(factor: number): void;
  onPick(node: GraphNode): void;
  frame: RefObject<HTMLDivElement | null>;
}

/** The picture: lanes side by side, time downwards. The list is its accessible form. */
export function GraphDrawing({ part, selected, zoom, onZoom, onPick, frame }: Props) {
  const text = useText();
  const room = useWidth(frame);
  const layout = useMemo(() => layoutGraph(part, room), [part, room]);

  useEffect(() => {
    const element = frame.current!;
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      // Otherwise the browser would zoom the page; React's own listener could not prevent that.
      event.preventDefault();
      onZoom(event.deltaY < 0 ? 1.15 : 1 / 1.15);
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, [frame, onZoom]);

  const { width, height, lanes, nodes, edges } = layout;
  return (
    <div className="graph-frame" ref={frame} data-width={width} data-height={height}>
      <svg
        width={width * zoom}
        height={height * zoom}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={text(strings.graph.drawing)(nodes.length)}
      >
        {lanes.map(({ lane, x }, at) => (
          <g key={lane} className="graph-lane">
            {at > 0 && <path d={`M${x} 0V${height}`} />}
            <text x={x + 8} y={16}>
              {text(strings.graph[lane])}
            </text>
          </g>
        ))}
        {edges.map(({ edge, path }) => (
          <path key={`${edge.from} ${edge.to}`} className="graph-edge" data-tie={edge.tie} d={path} />
        ))}
        {nodes.map((placed) => (
          <DrawnNode key={placed.node.id} placed={placed} selected={placed.node.id === selected} onPick={onPick} />
        ))}
      </svg>
    </div>
  );
}

function DrawnNode({ placed, selected, onPick }: { placed: PlacedNode; selected: boolean; onPick: Props['onPick'] }) {
  const text = useText();
  const { node, x, y, width } = placed;
  const label = nodeLabel(node, text);
  const said = node.kind === 'attempt' ? kindWord(node, text) : label;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the list beside it is the form for keys.
    <g
      className="graph-node"
      data-lane={node.lane}
      data-kind={node.kind}
      data-failed={node.failed}
      data-hollow={node.seq === null}
      data-selected={selected}
      transform={`translate(${x} ${y})`}
      onClick={() => onPick(node)}
    >
      <title>{`${kindWord(node, text)}${label && ` · ${label}`}`}</title>
      <rect width={width} height={NODE_HEIGHT} rx={3} />
      <text className="graph-shape" x={SHAPE_WIDTH / 2} y={16}>
        {shapeOf(node)}
      </text>
      <text x={SHAPE_WIDTH} y={16}>
        {clipText(said, Math.floor((width - SHAPE_WIDTH - 8) / COLUMN))}
      </text>
    </g>
  );
}
