import { TachoError } from '../../protocol/index.ts';
import { readScreen, type ScreenPicture } from './read-screen.ts';
import { ScreenFeed } from './screen-feed.ts';

/**
 * The screen of a pty session, for clients that attach late or only read it. It uses a terminal emulator that is passed
 * in (`@xterm/headless` in the product), so that this folder does not depend on one.
 */
export interface Screen {
  write(bytes: Uint8Array): void;
  resize(cols: number, rows: number): void;
  /** Sequences that draw the screen as it is after everything written before this call, and nothing after. */
  snapshot(): Promise<string>;
  /** The text that it shows then. */
  picture(): Promise<ScreenPicture>;
  dispose(): void;
}

/** `bareLineFeeds`: a bare line feed starts a new line. */
export type OpenScreen = (terminal: { cols: number; rows: number; bareLineFeeds: boolean }) => Screen;

/** The part of xterm's `Terminal` that we use. */
export interface Emulator {
  readonly cols: number;
  readonly rows: number;
  readonly buffer: { active: EmulatorBuffer };
  readonly modes: EmulatorModes;
  write(data: Uint8Array | string, done?: () => void): void;
  resize(cols: number, rows: number): void;
  dispose(): void;
}

/** Input and display modes, which a late client needs as well. */
export interface EmulatorModes {
  readonly applicationCursorKeysMode: boolean;
  readonly applicationKeypadMode: boolean;
  readonly bracketedPasteMode: boolean;
  readonly insertMode: boolean;
  readonly originMode: boolean;
  readonly reverseWraparoundMode: boolean;
  readonly sendFocusMode: boolean;
  readonly wraparoundMode: boolean;
}

export interface EmulatorBuffer {
  readonly type: 'normal' | 'alternate';
  readonly baseY: number;
  readonly cursorX: number;
  readonly cursorY: number;
  getLine(y: number): EmulatorLine | undefined;
}

export interface EmulatorLine {
  readonly isWrapped: boolean;
  getCell(x: number): EmulatorCell | undefined;
}

export interface EmulatorCell {
  getChars(): string;
  getWidth(): number;
  getFgColor(): number;
  getBgColor(): number;
  isFgRGB(): boolean;
  isBgRGB(): boolean;
  isFgPalette(): boolean;
  isBgPalette(): boolean;
  isBold(): number;
  isDim(): number;
  isItalic(): number;
  isUnderline(): number;
  isBlink(): number;
  isInverse(): number;
  isInvisible(): number;
  isStrikethrough(): number;
}

/** Each cell takes twelve bytes, twice. */
const MAX_CELLS = 250_000;

export function refuseLargeScreen({ cols, rows }: { cols: number; rows: number }): void {
  if (cols * rows <= MAX_CELLS) return;
  throw new TachoError('INVALID_PARAMS', `a screen of ${cols} × ${rows} characters is too large`, {
    facts: { cols, rows, most_characters: MAX_CELLS },
  });
}

/** The screen that an emulator keeps. */
export function screenOf(emulator: Emulator, draw: (emulator: Emulator) => string): Screen {
  const feed = new ScreenFeed(emulator);
  return {
    write: (bytes) => feed.write(bytes),
    resize: (cols, rows) => {
      refuseLargeScreen({ cols, rows });
      emulator.resize(cols, rows);
    },
    snapshot: () => feed.drawn(() => draw(emulator)),
    picture: () => feed.drawn(() => readScreen(emulator)),
    dispose: () => emulator.dispose(),
  };
}
