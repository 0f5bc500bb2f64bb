import '../../parts/layout/status-line.css';
import { useEffect, useRef, useState } from 'react';
import { createParseShare, percent } from '../../model/parse-share.ts';
import { formatUrl } from '../../model/url.ts';
import { copyText } from '../../parts/controls/copy-text.ts';
import { useAction } from '../../state/actions.tsx';
import { useStore } from '../../state/store.ts';
import { useModel, useSession } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { KeysButton } from './keys-button.tsx';
import { HiddenCount } from './layout/hidden-count.tsx';

/** The last event, the connection, and how much of the output was parsed. */
export function StatusLine() {
  const { events } = useModel();
  return (
    <footer className="status-line small quiet">
      <span className="bytes">seq {events.length}</span>
      <Connected />
      <Understood />
      <HiddenCount />
      <CopiedLink />
      <KeysButton />
    </footer>
  );
}

function Connected() {
  const text = useText();
  const { connection, source } = useSession();
  const phase = useStore(connection, (known) => known.phase);
  if (source.kind === 'archive') return <span>{text(strings.run.archive)}</span>;
  switch (phase) {
    case 'live':
    case 'backfilling':
      return <span>{text(strings.run.connected)}</span>;
    case 'ended':
      return <span>{text(strings.run.complete)}</span>;
    case 'loading':
      return <span>{text(strings.app.loading)}</span>;
    case 'reconnecting':
    case 'failed':
      return <span>{text(strings.run.disconnected)}</span>;
  }
}

function Understood() {
  const text = useText();
  const model = useModel();
  const count = useRef<ReturnType<typeof createParseShare>>(null);
  count.current ??= createParseShare();
  const share = count.current(model);
  if (share === null) return null;
  const { parser, structured, raw } = share;
  const all = structured + raw;
  return (
    <span>
      <span className="bytes">{parser}</span>: {text(strings.run.structured)(percent(structured, all))},{' '}
      {text(strings.run.raw)(percent(raw, all))}
    </span>
  );
}

/** Copies a link to the current view, and confirms it here. */
function CopiedLink() {
  const text = useText();
  const { view } = useSession();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  useAction('copy-link', () => {
    const link = `${location.origin}${location.pathname}${formatUrl(view.get())}`;
    void copyText(link).then(() => setCopied(true));
  });
  return (
    <span className="status-copied" aria-live="polite">
      {isCopied && text(strings.app.copied)}
    </span>
  );
}
