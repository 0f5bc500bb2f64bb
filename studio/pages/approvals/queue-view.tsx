import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Client } from '../../../src/client/index.ts';
import type { Approval } from '../../../src/protocol/index.ts';
import { elapsed } from '../../model/elapsed.ts';
import { titleOf } from '../../model/run-title.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { ApprovalCard } from '../../parts/approval/approval-card.tsx';
import { useNow } from '../../parts/use-now.ts';
import { useAction } from '../../state/actions.tsx';
import type { ApprovalQueue } from '../../state/approval-queue.ts';
import { useStore } from '../../state/store.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { RunContext } from './run-context.tsx';
import { useShown } from './use-shown.ts';

interface Props {
  client: Client;
  queue: ApprovalQueue;
  pending: readonly Approval[];
  /** Shown in place of an empty queue. */
  nothing: ReactNode;
}

/** The queue, and the selected approval with the conversation before it. */
export function QueueView({ client, queue, pending, nothing }: Props) {
  const text = useText();
  const runs = useStore(queue, (queue) => queue.runs);
  const { shown, show, decided, step } = useShown(client, pending);
  const now = useNow({ runs: pending.length > 0 });
  useAction('next-row', () => step(1));
  useAction('previous-row', () => step(-1));
  if (shown === null) return nothing;
  const title = (approval: Approval) => titleOf(runs.get(approval.run_id) ?? null, null);
  return (
    <div className="approvals">
      <nav className="approvals-queue" aria-label={text(strings.approvals.queue)}>
        <ul>
          {pending.map((approval) => (
            <li key={approval.approval_id}>
              <button
                type="button"
                className="plain"
                aria-current={approval.approval_id === shown.approval_id}
                onClick={() => show(approval)}
              >
                <bdi className="approvals-summary">{showUnseen(approval.summary)}</bdi>
                <span className="quiet small">
                  <bdi>{showUnseen(title(approval))}</bdi> ·{' '}
                  <span className="bytes">{elapsed(now - Date.parse(approval.requested_at))}</span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <section className="approvals-shown" aria-label={text(strings.approvals.decision)}>
        <ApprovalCard
          key={shown.approval_id}
          approval={shown}
          client={client}
          pane={null}
          disabled={null}
          onDecided={(approval) => {
            decided(approval);
            queue.refresh();
          }}
        >
          <Link href={`/runs/${shown.run_id}`}>
            {text(strings.approvals.openRun)} <bdi>{showUnseen(title(shown))}</bdi>
          </Link>
        </ApprovalCard>
        <RunContext key={shown.run_id} client={client} run={shown.run_id} until={shown.approval_id} />
      </section>
    </div>
  );
}
