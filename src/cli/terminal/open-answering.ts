import type { AnsweringTerminal } from '../../runtime/answering-terminal.ts';
import { OwnTerminal } from './own-terminal.ts';

/** No person has a larger one. */
const MOST_CHARACTERS = 250_000;

/** As large as ours; null where nobody types, since the program is somebody else's then. */
export async function openAnswering(onKeys: (answer: Buffer) => void): Promise<AnsweringTerminal | null> {
  const { isTTY, columns: cols, rows } = process.stdout;
  if (!isTTY || !OwnTerminal.hasKeyboard() || cols * rows > MOST_CHARACTERS) return null;
  const { AnsweringTerminal } = await import('../../runtime/answering-terminal.ts');
  return new AnsweringTerminal({ cols, rows, onAnswer: (answer) => onKeys(Buffer.from(answer, 'latin1')) });
}
