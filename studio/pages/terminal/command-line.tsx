import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import type { CommandResult, TerminalView } from '../../../src/protocol/index.ts';
import { elapsed } from '../../model/elapsed.ts';
import { Problem } from '../../parts/problem.tsx';
import { useNow } from '../../parts/use-now.ts';
import type { TerminalSession } from '../../state/terminal-session.ts';
import { useText } from '../../text/language.ts';
import { terminals as terminalTexts } from '../../text/sections/terminals.ts';
import { CommandOutcome } from './command-outcome.tsx';
import { useCommandHistory } from './use-command-history.ts';

/** The server's maximum. */
const MAX_TIMEOUT_MS = 600_000;

interface Props {
  session: TerminalSession;
  terminal: TerminalView;
  onSent(command: string): void;
}

/** Runs commands in a shell, one at a time. Their output appears with all other output of the session. */
export function CommandLine({ session: { id, client }, terminal, onSent }: Props) {
  const text = useText();
  const box = useRef<HTMLInputElement>(null);
  const history = useCommandHistory();
  const [command, setCommand] = useState('');
  const [since, setSince] = useState<number | null>(null);
  const [result, setResult] = useState<CommandResult | null>(null);
  const [error, setError] = useState<Error | null>(null);
  // Another client may run one too.
  const isBusy = since !== null || terminal.state === 'running';

  async function run(event: FormEvent) {
    event.preventDefault();
    if (isBusy || command.trim() === '') return;
    // The button that was pressed may be gone.
    box.current?.focus();
    setSince(Date.now());
    setError(null);
    setResult(null);
    try {
      history.add(command);
      onSent(command);
      setCommand('');
      setResult(await client.terminals.run(id, { command, timeout_ms: MAX_TIMEOUT_MS }));
    } catch (thrown) {
      setError(thrown as Error);
      setCommand((written) => written || command);
    }
    setSince(null);
  }

  function press(event: KeyboardEvent) {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : null;
    const other = by === null ? null : history.step(by, command);
    if (by !== null) event.preventDefault();
    if (other !== null) setCommand(other);
  }

  return (
    <form className="command-line" onSubmit={run}>
      {since !== null && <Running since={since} />}
      {since === null && isBusy && <p className="quiet">{text(terminalTexts.busy)}</p>}
      <div className="command-outcome" role="status">
        {result && <CommandOutcome result={result} />}
      </div>
      <Problem error={error} />
      <div className="command-entry">
        <span className="bytes quiet" aria-hidden="true">
          $
        </span>
        <input
          ref={box}
          type="text"
          aria-label={text(terminalTexts.command)}
          className="bytes"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder={text(terminalTexts.commandHint)}
          value={command}
          onChange={({ target }) => setCommand(target.value)}
          onKeyDown={press}
        />
        {isBusy ? (
          <Interrupt onPress={() => client.terminals.signal(id, 'SIGINT').then(() => {}, setError)} />
        ) : (
          <button type="submit" className="primary">
            {text(terminalTexts.run)}
          </button>
        )}
      </div>
    </form>
  );
}

/** Rerenders every second. */
function Running({ since }: { since: number }) {
  const text = useText();
  const now = useNow({ runs: true });
  return (
    <p className="command-running">
      <span aria-hidden="true">●</span> {text(terminalTexts.runs)(elapsed(now - since))}
    </p>
  );
}

function Interrupt({ onPress }: { onPress(): void }) {
  const text = useText();
  return (
    <button type="button" title={text(terminalTexts.interruptWhy)} onClick={onPress}>
      {text(terminalTexts.interrupt)}
    </button>
  );
}
