import './piece.css';
import type { TextStyle } from '../model/bytes/sgr.ts';

/** Style attributes of text for an element of the class `piece`; its style sheet defines them. */
export function pieceStyle(style: TextStyle | null): Record<string, string> {
  if (!style) return {};
  const { colour, background, ...flags } = style;
  const named = Object.entries(flags).flatMap(([name, on]) => (on ? [name] : []));
  return {
    ...(colour ? { 'data-colour': colour } : {}),
    ...(background ? { 'data-background': background } : {}),
    ...(named.length > 0 ? { 'data-style': named.join(' ') } : {}),
  };
}
