import type { AgentPrompt } from '../../../src/protocol/index.ts';

type Message = AgentPrompt['messages'][number];

/** Kinds of sources, by which pieces are coloured. */
export type SourceKind = 'instructions' | 'skill' | 'task' | 'model' | 'tool' | 'notice';

/** A part of a message with what it came from. */
export interface ShownPiece {
  source: string;
  kind: SourceKind;
  digest: string | null;
  text: string;
  /** Of the whole piece: the text may be its beginning. */
  chars: number;
  /** Of a call or a result: the name of the tool. */
  tool: string | null;
  /** Thoughts of the model. */
  isReasoning: boolean;
}

/**
 * The text of a message, cut where its sources change. Where the offsets do not fit the text, because a secret was masked,
 * the pieces cannot be told apart: it is one piece with all their names.
 */
export function shownPieces({ pieces, parts, is_exact }: Message): ShownPiece[] {
  const [first] = parts;
  if (parts.length === 1 && first?.kind === 'text' && pieces.length > 1) {
    if (!is_exact) {
      const source = [...new Set(pieces.map((piece) => piece.source))]
        .filter((name) => name !== 'separator')
        .join(' + ');
      return [{ ...whole(first), source, kind: kindOf(pieces[0]!.source), digest: null }];
    }
    return pieces.map(({ source, from, to, digest }) => ({
      ...whole(first),
      source,
      kind: kindOf(source),
      digest,
      text: first.text.slice(from, to),
      chars: to - from,
    }));
  }
  const { source = '', digest = null } = pieces[0] ?? {};
  return parts.map((part) => ({ ...whole(part), source, kind: kindOf(source), digest }));
}

function whole({ text, chars, name, kind }: Message['parts'][number]) {
  return { text, chars, tool: name, isReasoning: kind === 'reasoning' };
}

export function kindOf(source: string): SourceKind {
  const [head = ''] = source.split(':');
  switch (head) {
    case 'task':
    case 'send':
    case 'history':
      return 'task';
    case 'step':
      return 'model';
    case 'tools':
      return 'tool';
    case 'skill':
    case 'skills':
      return 'skill';
    case 'notice':
    case 'summary':
      return 'notice';
    default:
      return 'instructions';
  }
}

/** The name of the tool that a result belongs to, from the call in an earlier message. */
export function toolNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { parts } of messages) {
    for (const { kind, call_id, name } of parts) if (kind === 'tool_call' && call_id && name) names.set(call_id, name);
  }
  return names;
}
