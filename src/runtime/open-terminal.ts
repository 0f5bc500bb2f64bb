import headless from '@xterm/headless';
import type { OpenTerminal } from '../recording/index.ts';

/** The emulator that renders recorded output as text. */
export const openTerminal: OpenTerminal = (options) => new headless.Terminal(options);
