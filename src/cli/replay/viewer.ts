import { canRewrite } from '../output/terminal-abilities.ts';
import type { OwnTerminal } from '../terminal/own-terminal.ts';
import type { LiveControls } from './controls.ts';
import { createKeyReader } from './keys.ts';

/** The user who watches at a terminal with a keyboard. */
export interface Viewer {
  own: OwnTerminal;
  /** Restores the terminal, however the replay ends. */
  restore(): void;
}

/** Takes over the terminal, so that keys are commands and none reaches the shell; null without a terminal. */
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
