import type { ScreenText } from '../../protocol/terminal/index.ts';
import type { Emulator, EmulatorLine } from './screen.ts';

/** The visible text of the screen, without colours. */
export type ScreenPicture = Omit<ScreenText, 'settled'>;

export function readScreen({ rows, cols, buffer: { active } }: Emulator): ScreenPicture {
  const lines = Array.from({ length: rows }, (_, row) => readLine(active.getLine(active.baseY + row), cols));
  // After the last column, the cursor waits outside of the screen until the next character wraps.
  const cursor = { row: active.cursorY, col: Math.min(active.cursorX, cols - 1) };
  return { lines, cursor, cols, rows, alternate: active.type === 'alternate' };
}

function readLine(line: EmulatorLine | undefined, cols: number): string {
  let text = '';
  for (let x = 0; x < cols; x++) {
    const cell = line?.getCell(x);
    // The second half of a wide character has no width and is skipped.
    if (!cell || cell.getWidth() === 0) continue;
    text += cell.isInvisible() ? ' '.repeat(cell.getWidth()) : cell.getChars() || ' ';
  }
  return text.trimEnd();
}
