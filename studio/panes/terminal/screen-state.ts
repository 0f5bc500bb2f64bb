import type { IBuffer, IBufferCell, Terminal } from '@xterm/xterm';
import type { TerminalWatch } from './terminal-watch.ts';

/**
 * Output that brings an empty terminal of the same size to this state. Leaves out short-lived state: a saved cursor,
 * tab stops.
 */
export function screenState(terminal: Terminal, watch: TerminalWatch): string {
  const { normal, alternate, active } = terminal.buffer;
  const screens =
    active.type === 'alternate'
      ? `${screenOf(normal, terminal)}\x1b[?1049h\x1b[H${screenOf(alternate, terminal)}`
      : screenOf(normal, terminal);
  return screens + watch.toString() + modesOf(terminal) + cursorOf(active, terminal);
}

function screenOf(buffer: IBuffer, { cols }: Terminal): string {
  const cell = buffer.getNullCell();
  const lines: string[] = [];
  for (let y = 0; y < buffer.length; y++) {
    const goesOn = buffer.getLine(y + 1)?.isWrapped === true;
    lines.push(lineOf(buffer, y, cell, goesOn ? cols : 0), goesOn ? '' : '\r\n');
  }
  lines.pop();
  const { cursorX, cursorY } = buffer;
  return `${lines.join('')}\x1b[0m\x1b[${cursorY + 1};${Math.min(cursorX, cols - 1) + 1}H`;
}

/** At least `least` columns, so that a wrapped line wraps again. */
function lineOf(buffer: IBuffer, y: number, cell: IBufferCell, least: number): string {
  const line = buffer.getLine(y);
  if (!line) return '';
  let text = '';
  // Blanks are written only if something follows them.
  let blanks = 0;
  let drawn = '\x1b[0m';
  for (let x = 0; x < line.length; x++) {
    line.getCell(x, cell);
    if (cell.getWidth() === 0) continue;
    const style = styleOf(cell);
    const characters = cell.getChars();
    if (characters === '' && style === '\x1b[0m' && x >= least) {
      blanks++;
      continue;
    }
    if (blanks > 0) text += (drawn === '\x1b[0m' ? '' : '\x1b[0m') + ' '.repeat(blanks);
    if (blanks > 0) drawn = '\x1b[0m';
    blanks = 0;
    if (style !== drawn) text += style;
    drawn = style;
    text += characters === '' ? ' ' : characters;
  }
  return drawn === '\x1b[0m' ? text : `${text}\x1b[0m`;
}

function styleOf(cell: IBufferCell): string {
  if (cell.isAttributeDefault()) return '\x1b[0m';
  const set = ['0'];
  if (cell.isBold()) set.push('1');
  if (cell.isDim()) set.push('2');
  if (cell.isItalic()) set.push('3');
  if (cell.isUnderline()) set.push('4');
  if (cell.isBlink()) set.push('5');
  if (cell.isInverse()) set.push('7');
  if (cell.isInvisible()) set.push('8');
  if (cell.isStrikethrough()) set.push('9');
  if (cell.isOverline()) set.push('53');
  if (cell.isFgPalette()) set.push(paletteColour(cell.getFgColor(), cell.getFgColorMode(), 30));
  else if (cell.isFgRGB()) set.push(`38;2;${colour(cell.getFgColor())}`);
  if (cell.isBgPalette()) set.push(paletteColour(cell.getBgColor(), cell.getBgColorMode(), 40));
  else if (cell.isBgRGB()) set.push(`48;2;${colour(cell.getBgColor())}`);
  return `\x1b[${set.join(';')}m`;
}

/** How xterm marks the sixteen colours with their own sequences; the same ones of the 256 are different to it. */
const SIXTEEN = 0x1000000;

/** `base` is 30 for text, 40 for the background. */
function paletteColour(value: number, mode: number, base: number): string {
  if (mode !== SIXTEEN) return `${base + 8};5;${value}`;
  return String(value < 8 ? base + value : base + 60 + value - 8);
}

function colour(value: number): string {
  return `${value >>> 16};${(value >>> 8) & 255};${value & 255}`;
}

function modesOf({ modes }: Terminal): string {
  const set = [
    modes.applicationCursorKeysMode && '\x1b[?1h',
    modes.applicationKeypadMode && '\x1b[?66h',
    modes.bracketedPasteMode && '\x1b[?2004h',
    modes.insertMode && '\x1b[4h',
    modes.originMode && '\x1b[?6h',
    modes.reverseWraparoundMode && '\x1b[?45h',
    !modes.wraparoundMode && '\x1b[?7l',
  ];
  return set.filter((sequence) => sequence !== false).join('');
}

/** Last, because margins and modes move the cursor. */
function cursorOf({ cursorX, cursorY }: IBuffer, { cols, modes }: Terminal): string {
  // In origin mode the row counts from the margin, which the buffer does not reveal.
  if (modes.originMode) return '';
  return `\x1b[${cursorY + 1};${Math.min(cursorX, cols - 1) + 1}H`;
}
