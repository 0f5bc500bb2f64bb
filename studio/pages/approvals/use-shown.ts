import { useEffect, useState } from 'react';
import type { Client } from '../../../src/client/index.ts';
import type { Approval } from '../../../src/protocol/index.ts';

/** How long a decision stays visible before the next approval is shown. */
const NEXT_MS = 400;

/** The selected approval: first the oldest, then the user's choice; after a decision the next one. */
export function useShown(client: Client, pending: readonly Approval[]) {
  const [shown, setShown] = useState<Approval | null>(null);
  const [leaving, setLeaving] = useState<Approval | null>(null);
  // The queue may still list approvals that were decided here, until it is loaded again.
  const [settled, setSettled] = useState<ReadonlySet<string>>(new Set());
  const open = pending.filter(({ approval_id }) => !settled.has(approval_id));
  const current = shown ?? open[0] ?? null;
  const at = pending.findIndex(({ approval_id }) => approval_id === current?.approval_id);
  const gone = current !== null && at < 0 && leaving === null && current.status === 'pending';

  useEffect(() => {
    if (current !== shown) setShown(current);
  }, [current, shown]);

  // Another client decided: the card says what, and stays until the user moves on.
  useEffect(() => {
    if (!gone || !current) return;
    const stop = new AbortController();
    client
      .approvals({}, { signal: stop.signal })
      .then((all) => setShown(all.find(({ approval_id }) => approval_id === current.approval_id) ?? null))
      // The queue reports a lost server.
      .catch(() => {});
    return () => stop.abort();
  }, [client, gone, current]);

  useEffect(() => {
    if (!leaving) return;
    const timer = setTimeout(() => {
      const rest = pending.filter(({ approval_id }) => !settled.has(approval_id));
      const next = rest.find(({ requested_at }) => requested_at >= leaving.requested_at) ?? rest[0] ?? null;
      setLeaving(null);
      setShown(next);
    }, NEXT_MS);
    return () => clearTimeout(timer);
  }, [leaving, pending, settled]);

  return {
    shown: current,
    show: setShown,
    decided(approval: Approval): void {
      setSettled(new Set(settled).add(approval.approval_id));
      setLeaving(approval);
    },
    step(by: 1 | -1): boolean {
      const next = at < 0 ? pending[0] : pending[at + by];
      if (next) setShown(next);
      return next !== undefined;
    },
  };
}
