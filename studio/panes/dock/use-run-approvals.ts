import { useEffect, useState } from 'react';
import type { Client } from '../../../src/client/index.ts';
import { type Approval, isEvent } from '../../../src/protocol/index.ts';
import { type ApprovalSpan, eventAt, isTerminal, type RunModel } from '../../../src/record/index.ts';
import { approvalOf, isPermission } from '../../model/conversation/approval-request.ts';
import { useNow } from '../../parts/use-now.ts';
import { useModel } from '../../state/use-run.tsx';

/** How long a decision stays on the screen. */
const SHOWN_MS = 8000;

interface RunApprovals {
  approval: Approval | null;
  more: number;
  /** A decision was made here. A program that is no longer waiting reports it only when it continues. */
  settle(approval: Approval): void;
}

/**
 * The pending approvals of this run, and the number of others on the server. A recent decision is still shown. The
 * events contain requests and decisions; the server knows whether a request is still open.
 */
export function useRunApprovals(client: Client | null): RunApprovals {
  const model = useModel();
  const { status } = model;
  const spans = [...model.approvals.values()];
  const asked = isTerminal(status) ? [] : spans.filter(({ decision }) => decision === null);
  const pending = usePending(client, { stamp: `${status}.${spans.length}.${asked.length}`, wanted: asked.length > 0 });
  const [settled, settle] = useState<Approval | null>(null);
  const last = spans.findLast(({ decision }) => decision !== null);
  const isNews = isRecent(last?.to ?? 0);
  // Rerenders every second until a recent decision is no longer shown.
  useNow({ runs: asked.length > 0 || isNews });
  const open = asked.find(({ approval_id }) => {
    if (approval_id === settled?.approval_id) return isRecent(Date.parse(settled.decided_at ?? ''));
    return status === 'waiting_approval' || pending?.some((known) => known.approval_id === approval_id);
  });
  const shown = open ?? (isNews ? last : undefined);
  return {
    approval: shown ? approvalAt(model, shown) : null,
    more: pending?.filter(({ approval_id }) => approval_id !== shown?.approval_id).length ?? 0,
    settle,
  };
}

function isRecent(time: number): boolean {
  return Date.now() - time < SHOWN_MS;
}

/** All pending approvals on the server, loaded again whenever the stamp changes. */
function usePending(client: Client | null, { stamp, wanted }: { stamp: string; wanted: boolean }): Approval[] | null {
  const [pending, setPending] = useState<Approval[] | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stamp says when to ask again.
  useEffect(() => {
    if (!client || !wanted) return;
    const stop = new AbortController();
    client
      .approvals({ status: 'pending' }, { signal: stop.signal })
      .then(setPending)
      // Without a response only the events are known; the stream reports a lost server.
      .catch(() => {});
    return () => stop.abort();
  }, [client, stamp, wanted]);
  return pending;
}

function approvalAt(model: RunModel, { requestedSeq, decidedSeq }: ApprovalSpan): Approval | null {
  const event = eventAt(model, requestedSeq);
  if (!event || !isEvent(event, 'interaction.approval.requested')) return null;
  const approval = approvalOf(event);
  const decided = decidedSeq === null ? undefined : eventAt(model, decidedSeq);
  if (!decided || !isEvent(decided, 'interaction.approval.decided')) return approval;
  const { decision, reason } = decided.data;
  return {
    ...approval,
    status: isPermission(decision) ? 'approved' : 'denied',
    decided_at: decided.ts,
    reason: typeof reason === 'string' ? reason : null,
  };
}
