import { Link } from 'wouter';
import type { Approval } from '../../../src/protocol/index.ts';
import { ApprovalCard } from '../../parts/approval/approval-card.tsx';
import { useClient } from '../../state/client.tsx';
import { useModel, useSession } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

interface Props {
  approval: Approval;
  more: number;
  disabled: string | null;
  onDecided(approval: Approval): void;
}

/** An approval of this run, with links to its event and to other pending ones. */
export function DockApproval({ approval, more, disabled, onDecided }: Props) {
  const text = useText();
  const client = useClient();
  const { view } = useSession();
  const seq = useModel().approvals.get(approval.approval_id)?.requestedSeq;
  return (
    <ApprovalCard approval={approval} client={client} pane="dock" disabled={disabled} onDecided={onDecided}>
      {seq !== undefined && (
        <button
          type="button"
          className="plain"
          onClick={() => view.change({ selection: { kind: 'event', seq }, tab: 'event' })}
        >
          {text(strings.dock.showEvent)}
        </button>
      )}
      {more > 0 && <Link href="/approvals">{text(strings.dock.moreWaiting)(more)}</Link>}
    </ApprovalCard>
  );
}
