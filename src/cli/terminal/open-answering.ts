import type { AnsweringTerminal } from '../../runtime/answering-terminal.ts';
import { OwnTerminal } from './own-terminal.ts';

/** Larger than any real terminal. */
const MAX_CHARACTERS = 250_000;

/** Has the size of our terminal; null without a keyboard, because then another client controls the program. */
export async function openAnswering(onKeys: (answer: Buffer) => void): Promise<AnsweringTerminal | null> {
  const { isTTY, columns: cols, rows } = process.stdout;
  if (!isTTY || !OwnTerminal.hasKeyboard() || cols * rows > MAX_CHARACTERS) return null;
  const { AnsweringTerminal } = await import('../../runtime/answering-terminal.ts');
  return new AnsweringTerminal({ cols, rows, onAnswer: (answer) => onKeys(Buffer.from(answer, 'latin1')) });
}
