import { canRewrite } from '../output/terminal-abilities.ts';
import type { OwnTerminal } from '../terminal/own-terminal.ts';
import type { LiveControls } from './controls.ts';
import { createKeyReader } from './keys.ts';

/** The person who watches, at a terminal with a keyboard. */
export interface Viewer {
  own: OwnTerminal;
  /** Gives the terminal back, on every way out. */
  restore(): void;
}

/** Takes the terminal, so that keys are commands and none of them is left for the shell; null where there is none. */
export async function takeViewer(controls: LiveControls): Promise<Viewer | null> {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !canRewrite(stdout)) return null;
  const { OwnTerminal } = await import('../terminal/own-terminal.ts');
  if (!OwnTerminal.hasKeyboard()) return null;
  const read = createKeyReader();
  const own = OwnTerminal.take({
    use: 'run',
    onKeys: (keys) => {
      for (const command of read(keys.toString('latin1'))) controls.push(command);
    },
    onResize: () => controls.push({ do: 'redraw' }),
  });
  return (
    own && {
      own,
      restore() {
        own.restore();
        stdin.destroy();
      },
    }
  );
}
