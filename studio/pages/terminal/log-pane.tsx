import { useEffect, useMemo } from 'react';
import { byteSize } from '../../model/bytes/byte-size.ts';
import { Pane } from '../../parts/layout/pane.tsx';
import { useAction } from '../../state/actions.tsx';
import { useStore } from '../../state/store.ts';
import { TerminalLog } from '../../state/terminal-log.ts';
import type { TerminalSession } from '../../state/terminal-session.ts';
import { say, useText } from '../../text/language.ts';
import { terminals as terminalTexts } from '../../text/sections/terminals.ts';
import { CommandLine } from './command-line.tsx';
import { LogView } from './log-view.tsx';
import { useIsLive } from './use-is-live.ts';

/** A session without a screen: the output of both streams, and for a shell a command line. */
export function LogPane({ session }: { session: TerminalSession }) {
  const text = useText();
  const log = useMemo(() => new TerminalLog(), []);
  const lines = useStore(log);
  const terminal = useStore(session.terminal)!;
  const isLive = useIsLive(session);
  useEffect(
    () =>
      session.follow({
        begin: () => log.clear(),
        output: (stream, bytes) => log.add(stream, bytes),
        gap: (_, bytes) => log.note('gap', say(terminalTexts.gap)(byteSize(bytes))),
        changed: () => {},
      }),
    [session, log],
  );
  useAction('escape', leaveField);
  return (
    <Pane name="log" title={text(terminalTexts.output)}>
      <div className="log">
        <LogView lines={lines} />
        {terminal.kind === 'shell' && isLive && (
          <CommandLine session={session} terminal={terminal} onSent={(command) => log.note('command', command)} />
        )}
      </div>
    </Pane>
  );
}

/** Leaves the command line, so that keys are shortcuts again. */
function leaveField(): boolean {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLInputElement)) return false;
  activeElement.closest<HTMLElement>('[data-pane]')?.focus();
  return true;
}
