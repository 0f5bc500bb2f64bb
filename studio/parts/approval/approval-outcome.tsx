import type { Approval } from '../../../src/protocol/index.ts';
import { elapsed } from '../../model/elapsed.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

interface Props {
  decided: Approval;
  /** The decision made on this page; null if none was. */
  wanted: 'approved' | 'denied' | null;
  now: number;
}

/** The decision that took effect. */
export function ApprovalOutcome({ decided, wanted, now }: Props) {
  const text = useText();
  const { status, decided_at, reason } = decided;
  const ago = elapsed(now - Date.parse(decided_at ?? decided.requested_at));
  const words =
    status === 'approved'
      ? text(strings.dock.allowed)(ago)
      : status === 'denied'
        ? text(strings.dock.denied)(ago)
        : text(strings.dock.expired);
  return (
    <p className="approval-outcome" data-status={status} role="status">
      <span aria-hidden="true">{status === 'approved' ? '✓' : '✕'}</span>{' '}
      {wanted !== null && wanted !== status && `${text(strings.dock.otherDecision)} `}
      <span title={decided_at ?? undefined}>{words}</span>
      {reason !== null && <bdi className="quiet"> {showUnseen(reason)}</bdi>}
    </p>
  );
}
