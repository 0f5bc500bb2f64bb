const FENCED = /```[a-zA-Z]*[ \t]*\r?\n([\s\S]*?)```/g;

/** The fenced blocks of a text, the last one first: an answer stands at the end. */
export function fencedBlocks(text: string): { block: string; inner: string }[] {
  return [...text.matchAll(FENCED)].reverse().map(([block, inner]) => ({ block, inner: inner! }));
}
