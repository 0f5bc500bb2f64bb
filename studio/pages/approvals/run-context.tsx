import { useEffect, useState } from 'react';
import type { Client } from '../../../src/client/index.ts';
import { emptyConversation, growConversation, type Row } from '../../model/conversation/conversation-rows.ts';
import { rowName } from '../../panes/conversation/row-name.ts';
import { Markdown } from '../../parts/markdown/markdown.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

const ROWS = 10;
/** Enough messages for ten rows. */
const MESSAGES = 300;

interface Props {
  client: Client;
  run: string;
  /** Loaded again when this changes, because there may be new messages. */
  until: string;
}

/** The conversation of a run before it asked. */
export function RunContext({ client, run, until }: Props) {
  const text = useText();
  const [rows, setRows] = useState<readonly Row[] | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: see `until`.
  useEffect(() => {
    const stop = new AbortController();
    lastRows(client, run, stop.signal).then(setRows, () => setRows([]));
    return () => stop.abort();
  }, [client, run, until]);
  return (
    <section className="approvals-context" aria-label={text(strings.approvals.context)}>
      <h2 className="quiet small">{text(strings.approvals.context)}</h2>
      {rows?.length === 0 && <p className="quiet">{text(strings.approvals.noContext)}</p>}
      {rows?.map((row) => (
        <div key={row.id} className="approvals-row" data-kind={row.kind}>
          {row.kind === 'assistant' ? <Markdown text={row.text} /> : <bdi className="quiet">{rowName(row, text)}</bdi>}
        </div>
      ))}
    </section>
  );
}

async function lastRows(client: Client, run: string, signal: AbortSignal): Promise<Row[]> {
  const { total } = await client.conversation(run, { limit: 1 }, { signal });
  const from_seq = Math.max(1, total - MESSAGES + 1);
  const { events } = await client.conversation(run, { from_seq, limit: MESSAGES }, { signal });
  const fold = emptyConversation();
  growConversation(fold, events);
  return fold.rows.slice(-ROWS);
}
