import { byteAt } from '../../model/bytes/raw-marks.ts';
import type { ByteSpan } from '../../model/bytes/raw-ranges.ts';
import type { SegmentKind } from '../../model/bytes/raw-segments.ts';

/** The bytes of the text selected with the mouse; null if there is none, or if it is elsewhere. */
export function pickedBytes(root: HTMLElement | null): ByteSpan | null {
  const picked = getSelection();
  if (!root || !picked || picked.isCollapsed || picked.rangeCount === 0) return null;
  const { startContainer, startOffset, endContainer, endOffset } = picked.getRangeAt(0);
  if (!root.contains(startContainer) || !root.contains(endContainer)) return null;
  const from = byteOf(root, startContainer, startOffset, 'after');
  const to = byteOf(root, endContainer, endOffset, 'before');
  return from === null || to === null || from >= to ? null : { from, to };
}

/** The byte at a position of the document. Between pieces, the nearest one on the given side. */
function byteOf(root: HTMLElement, node: Node, offset: number, side: 'before' | 'after'): number | null {
  const piece = (node instanceof Element ? node : node.parentElement)?.closest<HTMLElement>('[data-from]');
  if (piece && node.nodeType === Node.TEXT_NODE) {
    const [from, to] = spanOf(piece);
    const kind = piece.dataset.kind ?? 'text';
    if (kind === 'hex') return offset === 0 ? from : to;
    return byteAt({ kind: kind as SegmentKind, from, to }, node.textContent ?? '', offset);
  }
  const edge = document.createRange();
  edge.setStart(node, offset);
  const pieces = [...root.querySelectorAll<HTMLElement>('[data-from]')];
  if (side === 'after') {
    const next = pieces.find((one) => edge.comparePoint(one, 0) >= 0);
    return next ? spanOf(next)[0] : null;
  }
  const last = pieces.findLast((one) => edge.comparePoint(one, 0) < 0);
  return last ? spanOf(last)[1] : null;
}

function spanOf({ dataset }: HTMLElement): [number, number] {
  return [Number(dataset.from), Number(dataset.to)];
}
