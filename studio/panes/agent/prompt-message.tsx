import { useState } from 'react';
import type { AgentPrompt } from '../../../src/protocol/index.ts';
import { type ShownPiece, shownPieces } from '../../model/agent/prompt-pieces.ts';
import { grouped } from '../../model/run-figures.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { useText } from '../../text/language.ts';
import { agent as words } from '../../text/sections/agent.ts';

type Message = AgentPrompt['messages'][number];

/** Longer pieces are folded. */
const MAX_SHOWN = 1200;
const SHOWN_FOLDED = 500;

/** One message of a prompt, piece by piece: the colour and the label say what each came from. */
export function PromptMessage({ message, tools }: { message: Message; tools: ReadonlyMap<string, string> }) {
  const text = useText();
  const pieces = shownPieces(message);
  const isMasked = !message.is_exact && message.pieces.length > 1;
  return (
    <li className="agent-message" data-role={message.role}>
      <p className="agent-message-head small">
        <span className="bytes quiet">{message.index + 1}</span> <strong>{text(words.role[message.role])}</strong>
        {isMasked && <span className="quiet"> · {text(words.masked)}</span>}
      </p>
      {pieces.map((piece, index) => (
        <Piece
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a message have no names, and do not change.
          key={index}
          piece={piece}
          tool={piece.tool ?? tools.get(message.parts[index]?.call_id ?? '') ?? null}
        />
      ))}
    </li>
  );
}

function Piece({ piece, tool }: { piece: ShownPiece; tool: string | null }) {
  const text = useText();
  const [isWhole, setWhole] = useState(false);
  const { source, kind, digest, chars } = piece;
  const isLong = piece.text.length > MAX_SHOWN;
  const shown = isLong && !isWhole ? `${piece.text.slice(0, SHOWN_FOLDED)}…` : piece.text;
  const about = digest === null ? source : text(words.source)(source, digest.slice(0, 16));
  // What only joins two pieces needs no label.
  if (source === 'separator') return <pre className="agent-piece-text quiet">{showUnseen(piece.text)}</pre>;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls.
    <div
      className="agent-piece"
      data-kind={kind}
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the focus names the source and its digest.
      tabIndex={0}
      aria-label={showUnseen(about)}
      title={about}
    >
      <p className="agent-piece-head small">
        <span className="agent-source">{showUnseen(source)}</span>
        {tool !== null && <code>{showUnseen(tool)}</code>}
        {piece.isReasoning && <span className="quiet">{text(words.thoughts)}</span>}
        {digest !== null && <code className="agent-digest quiet">{digest.slice(0, 16)}</code>}
      </p>
      <pre className="agent-piece-text">{showUnseen(shown)}</pre>
      {isLong && (
        <button type="button" className="small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? text(words.showLess) : text(words.showWhole)(grouped(piece.text.length))}
        </button>
      )}
      {chars > piece.text.length && (
        <p className="quiet small">{text(words.cutInLog)(grouped(piece.text.length), grouped(chars))}</p>
      )}
    </div>
  );
}
