import { type ReactNode, useEffect, useRef, useState } from 'react';
import { TachoError } from '../../../src/protocol/index.ts';
import { keyName, keysOf } from '../../keyboard.ts';
import { withKey } from '../../parts/controls/key-hint.ts';
import { useAction } from '../../state/actions.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { keyQueue } from './key-queue.ts';
import type { XtermScreen } from './xterm-screen.ts';

type Words = readonly [string, string];

interface Props {
  screen: XtermScreen;
  /** Label of the button that starts it. */
  begin: Words;
  send(keys: Uint8Array): Promise<void>;
  onBegin?(): void;
  /** Next to the button while keys go to the program. */
  children?: ReactNode;
}

/** Keys go to the program until the user leaves, with a button or with keys that are never sent. */
export function Typing({ screen, begin, send, onBegin, children }: Props) {
  const text = useText();
  const [on, setOn] = useState(false);
  const [problem, setProblem] = useState<Error | null>(null);
  const latest = useRef({ send, onBegin });
  latest.current = { send, onBegin };
  useAction('type', () => setOn(true));
  useAction('stop-typing', () => (on ? setOn(false) : false));

  useEffect(() => {
    if (!on) return;
    const { terminal } = screen;
    latest.current.onBegin?.();
    setProblem(null);
    screen.setTyping(true);
    const type = keyQueue({
      send: (keys) => latest.current.send(keys),
      onSent: (error) => {
        setProblem(error);
        // A request that was rejected would be rejected again; an unreachable server may come back.
        if (error !== null && !isAway(error)) setOn(false);
      },
    });
    const keys = terminal.onData(type);
    // The pointer position in the old format: bytes that are not text.
    const reports = terminal.onBinary((bytes) => type(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))));
    terminal.attachCustomKeyEventHandler((event) => !keysOf('stop-typing').includes(keyName(event)));
    return () => {
      keys.dispose();
      reports.dispose();
      terminal.attachCustomKeyEventHandler(() => true);
      // After leaving by keys the focus is in the pane, not on a button that the next space would press.
      if (terminal.element?.contains(document.activeElement)) {
        terminal.element.closest<HTMLElement>('[data-pane]')?.focus();
      }
      screen.setTyping(false);
    };
  }, [on, screen]);

  return (
    <div className="terminal-typing" data-on={on}>
      <strong role="status">{on && text(strings.terminal.typing)}</strong>
      {problem && <span role="alert">{text(strings.terminal.inputFailed)(problem.message)}</span>}
      {on && children}
      <button
        type="button"
        aria-pressed={on}
        title={on ? undefined : withKey(text(begin), 'type')}
        onClick={() => setOn(!on)}
      >
        <span aria-hidden="true">⌨ </span>
        {on ? withKey(text(strings.terminal.leave), 'stop-typing') : text(begin)}
      </button>
    </div>
  );
}

function isAway(error: Error): boolean {
  return error instanceof TachoError && error.code === 'SERVER_UNREACHABLE';
}
