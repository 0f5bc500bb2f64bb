import headless from '@xterm/headless';
import { drawScreen, type OpenScreen, screenOf } from '../terminal/index.ts';

/** The screen of a terminal, kept without showing it. */
export const openScreen: OpenScreen = ({ cols, rows, bareLineFeeds }) => {
  const options = { cols, rows, convertEol: bareLineFeeds, scrollback: 0, allowProposedApi: true };
  return screenOf(new headless.Terminal(options), drawScreen);
};
