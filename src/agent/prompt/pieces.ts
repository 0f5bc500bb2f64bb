import type { PromptSource } from '../../protocol/index.ts';

/** A piece of a message, and where it came from. */
export interface PromptPiece {
  text: string;
  /** As `prompt_compiled` names it, for example `config:prompt.developer`. */
  source: string;
}

/** A keyed digest: a reader of the log cannot confirm a guess with it. */
export type Digest = (text: string) => string;

/** Where the bytes of a message came from. */
export function sourcesOf(pieces: readonly PromptPiece[], message: number, digest: Digest): PromptSource[] {
  let from = 0;
  return pieces.map(({ text, source }) => {
    const to = from + text.length;
    const placed = { message, from, to, source, digest: digest(text) };
    from = to;
    return placed;
  });
}

export function textOf(pieces: readonly PromptPiece[]): string {
  return pieces.map(({ text }) => text).join('');
}
