import type { GraphNode } from '../../model/graph/graph.ts';
import type { NodeKind } from '../../model/graph/graph-thing.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import type { say } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

const SHAPES: Record<NodeKind, string> = {
  request: '●',
  reply: '●',
  question: '?',
  attempt: '▮',
  message: '¶',
  reasoning: '∴',
  call: '▸',
  result: '✓',
  approval: '◆',
  decision: '◇',
  file: '■',
  event: '·',
};

export function shapeOf({ kind, failed, seq }: GraphNode): string {
  if (seq === null) return '○';
  return failed ? '✕' : SHAPES[kind];
}

/** The kind of a node, in a word. */
export function kindWord({ kind, attempt, failed }: GraphNode, text: typeof say): string {
  const words = strings.graph;
  if (kind === 'attempt') return text(words.attempt)(attempt);
  return failed ? `${text(words[kind])}, ${text(words.failed)}` : text(words[kind]);
}

/** Its label on one line; how many it represents; that it was not recorded. */
export function nodeLabel({ label, count, seq, group, kind }: GraphNode, text: typeof say): string {
  const many = count > 1;
  const said = many && kind !== 'attempt' && group !== '' ? group : label;
  const shown = showUnseen(said).replaceAll('\n', ' ');
  if (seq === null) return `${shown} · ${text(strings.graph.notSeen)}`;
  return many ? `${shown} × ${count}` : shown;
}

/** As much of a text as fits into the given columns; wide characters take two. */
export function clipText(label: string, columns: number): string {
  let used = 0;
  let at = 0;
  for (const character of label) {
    used += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(
      character,
    )
      ? 2
      : 1;
    if (used > columns) return `${label.slice(0, at)}…`;
    at += character.length;
  }
  return label;
}
