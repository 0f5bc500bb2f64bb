import type { Emulator, EmulatorCell, EmulatorLine, EmulatorModes } from './screen.ts';

/** Escape sequences that redraw this screen, with the cursor position, on an empty terminal of the same size. */
export function drawScreen({ rows, cols, buffer: { active }, modes }: Emulator): string {
  const alternate = active.type === 'alternate' ? '\x1b[?1049h' : '';
  let drawn = `${alternate}\x1b[0m\x1b[2J`;
  for (let row = 0; row < rows; row++) {
    const text = drawLine(active.getLine(active.baseY + row), cols);
    if (text !== '') drawn += `\x1b[${row + 1};1H${text}`;
  }
  // Modes follow the text, which they would affect. They may move the cursor, which is therefore set last.
  return `${drawn}${modesOf(modes)}\x1b[${active.cursorY + 1};${Math.min(active.cursorX, cols - 1) + 1}H`;
}

/** Modes that differ from those of a new terminal. */
function modesOf(modes: EmulatorModes): string {
  const set = [
    modes.applicationCursorKeysMode && '\x1b[?1h',
    modes.applicationKeypadMode && '\x1b[?66h',
    modes.bracketedPasteMode && '\x1b[?2004h',
    modes.insertMode && '\x1b[4h',
    modes.originMode && '\x1b[?6h',
    modes.reverseWraparoundMode && '\x1b[?45h',
    modes.sendFocusMode && '\x1b[?1004h',
    !modes.wraparoundMode && '\x1b[?7l',
  ];
  return set.filter((sequence) => sequence !== false).join('');
}

function drawLine(line: EmulatorLine | undefined, cols: number): string {
  let drawn = '';
  let pen = '\x1b[0m';
  /** Empty cells are drawn only if something follows them. */
  let blanks = 0;
  for (let x = 0; x < cols; x++) {
    const cell = line?.getCell(x);
    if (!cell || cell.getWidth() === 0) continue;
    const style = penOf(cell);
    const chars = cell.getChars() || ' ';
    if (chars === ' ' && style === pen && style === '\x1b[0m') {
      blanks++;
      continue;
    }
    drawn += ' '.repeat(blanks);
    blanks = 0;
    drawn += style === pen ? chars : style + chars;
    pen = style;
    // Following blanks must not get this style.
    if (style !== '\x1b[0m' && !isStyled(line?.getCell(x + 1))) {
      drawn += '\x1b[0m';
      pen = '\x1b[0m';
    }
  }
  return drawn;
}

function isStyled(cell: EmulatorCell | undefined): boolean {
  return cell !== undefined && penOf(cell) !== '\x1b[0m';
}

function penOf(cell: EmulatorCell): string {
  const codes: (number | string)[] = [0];
  if (cell.isBold()) codes.push(1);
  if (cell.isDim()) codes.push(2);
  if (cell.isItalic()) codes.push(3);
  if (cell.isUnderline()) codes.push(4);
  if (cell.isBlink()) codes.push(5);
  if (cell.isInverse()) codes.push(7);
  if (cell.isInvisible()) codes.push(8);
  if (cell.isStrikethrough()) codes.push(9);
  if (cell.isFgRGB()) codes.push(`38;2;${rgb(cell.getFgColor())}`);
  else if (cell.isFgPalette()) codes.push(`38;5;${cell.getFgColor()}`);
  if (cell.isBgRGB()) codes.push(`48;2;${rgb(cell.getBgColor())}`);
  else if (cell.isBgPalette()) codes.push(`48;5;${cell.getBgColor()}`);
  return `\x1b[${codes.join(';')}m`;
}

function rgb(color: number): string {
  return `${(color >> 16) & 255};${(color >> 8) & 255};${color & 255}`;
}
