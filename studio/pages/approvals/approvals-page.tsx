import './approvals-page.css';
import { useEffect, useState } from 'react';
import type { Client } from '../../../src/client/index.ts';
import { Page } from '../../parts/layout/page.tsx';
import { ActionsProvider } from '../../state/actions.tsx';
import { ApprovalQueue } from '../../state/approval-queue.ts';
import { useClient } from '../../state/client.tsx';
import { useStore } from '../../state/store.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { QueueView } from './queue-view.tsx';

/** Every pending request of every run. */
export function ApprovalsPage() {
  const text = useText();
  const client = useClient();
  const [queue, setQueue] = useState<ApprovalQueue | null>(null);
  useEffect(() => {
    if (!client) return;
    const opened = new ApprovalQueue(client);
    void opened.start();
    setQueue(opened);
    return () => opened.close();
  }, [client]);
  return (
    <Page title={text(strings.app.approvals)}>
      <ActionsProvider>{client && queue && <Content client={client} queue={queue} />}</ActionsProvider>
    </Page>
  );
}

function Content({ client, queue }: { client: Client; queue: ApprovalQueue }) {
  const text = useText();
  const { pending, live, error } = useStore(queue);
  return (
    <>
      <h1 className="heard">{text(strings.app.approvals)}</h1>
      {error && (
        <p className="notice" role="alert">
          {text(strings.approvals.unreachable)(error.message)}
        </p>
      )}
      {pending === null && !error && <p className="notice">{text(strings.app.loading)}</p>}
      {pending !== null && (
        <QueueView
          client={client}
          queue={queue}
          pending={pending}
          nothing={
            <p className="notice">
              <strong>{text(strings.approvals.nothing)}</strong>
              {text(strings.approvals.liveRuns)(live)}
            </p>
          }
        />
      )}
    </>
  );
}
