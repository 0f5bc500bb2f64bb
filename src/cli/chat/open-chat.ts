import { canRewrite, keepColumns, showsColors } from '../output/terminal-abilities.ts';
import { type ChatView, createChatView } from './chat-view.ts';

/** A chat on our standard output; live and in colour only where a person reads it. */
export function openChat(): ChatView {
  const { stdout } = process;
  return createChatView({
    write: (text) => stdout.write(keepColumns(text)),
    // Asked for each time: a window may be resized.
    get columns() {
      return stdout.columns ?? 80;
    },
    rewrites: canRewrite(stdout),
    colors: showsColors(stdout),
  });
}
