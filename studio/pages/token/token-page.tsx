import { type FormEvent, useState } from 'react';
import { Page } from '../../parts/layout/page.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import './token-page.css';

export function TokenPage({ refused, onToken }: { refused: boolean; onToken(token: string): void }) {
  const text = useText();
  const [given, setGiven] = useState('');

  function submit(event: FormEvent) {
    event.preventDefault();
    // A token with other characters could not even be sent.
    if (/^[\x21-\x7e]+$/.test(given.trim())) onToken(given.trim());
  }

  return (
    <Page title={text(strings.app.name)}>
      <form className="token-page" onSubmit={submit}>
        <h1>{text(strings.token.title)}</h1>
        <p className="quiet">{text(strings.token.explain)}</p>
        <label>
          {text(strings.token.label)}
          <input
            type="password"
            autoComplete="off"
            value={given}
            onChange={({ target }) => setGiven(target.value)}
            aria-describedby={refused ? 'token-refused' : undefined}
          />
        </label>
        {refused && (
          <p id="token-refused" role="alert" className="token-refused">
            {text(strings.token.wrong)}
          </p>
        )}
        <button type="submit" className="primary">
          {text(strings.token.use)}
        </button>
      </form>
    </Page>
  );
}
