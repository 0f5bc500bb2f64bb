import { canRewrite, keepColumns, showsColors } from '../output/terminal-abilities.ts';
import { type ChatView, createChatView } from './chat-view.ts';

/** A chat on standard output; live and coloured only on a terminal. */
export function openChat(): ChatView {
  const { stdout } = process;
  return createChatView({
    write: (text) => stdout.write(keepColumns(text)),
    // Read on every access: the window may be resized.
    get columns() {
      return stdout.columns ?? 80;
    },
    rewrites: canRewrite(stdout),
    colors: showsColors(stdout),
  });
}
