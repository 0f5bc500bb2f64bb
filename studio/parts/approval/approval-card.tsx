import './approval-card.css';
import { type ReactNode, useMemo } from 'react';
import type { Client } from '../../../src/client/index.ts';
import type { Approval } from '../../../src/protocol/index.ts';
import { readApproval } from '../../model/conversation/approval-request.ts';
import { elapsed } from '../../model/elapsed.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { Problem } from '../problem.tsx';
import { useNow } from '../use-now.ts';
import { ApprovalAct } from './approval-act.tsx';
import { ApprovalButtons } from './approval-buttons.tsx';
import { ApprovalOutcome } from './approval-outcome.tsx';
import { useDecision } from './use-decision.ts';

interface Props {
  /** The request, possibly decided meanwhile. */
  approval: Approval;
  client: Client | null;
  /** The pane whose keys decide; null for the whole page. */
  pane: string | null;
  /** Why the request cannot be decided here; null if it can. */
  disabled: string | null;
  /** Shown at the end of the first line: links. */
  children?: ReactNode;
  onDecided?: (approval: Approval) => void;
}

/** What an agent asks permission for. Another approval needs another React key. */
export function ApprovalCard({ approval, client, pane, disabled, children, onDecided }: Props) {
  const text = useText();
  const { details, requested_at } = approval;
  const request = useMemo(() => readApproval(details), [details]);
  const decision = useDecision(client, approval, onDecided);
  const now = useNow({ runs: true });
  const waited = now - Date.parse(requested_at);
  const decided = decision.answer ?? (approval.status === 'pending' ? null : approval);
  return (
    <div className="approval-card">
      <p className="approval-head">
        <span className="approval-asks">
          <span aria-hidden="true">◆</span> {text(strings.dock.wantsTo)}
        </span>
        <strong>
          <bdi>{showUnseen(approval.summary)}</bdi>
        </strong>
        {decided === null && (
          <span className="quiet" title={requested_at}>
            {text(strings.dock.waitingSince)(elapsed(waited))}
          </span>
        )}
        {decided === null && request.until !== null && (
          <span>{text(strings.dock.timeLeft)(elapsed(request.until - now))}</span>
        )}
        {children}
      </p>
      <ApprovalAct act={request.act} />
      <dl className="approval-facts small">
        <Fact name={text(strings.dock.why)} value={request.why} />
        <Fact name={text(strings.dock.risk)} value={riskWords()} loud={request.destructive} />
        <Fact name={text(strings.dock.environment)} value={request.environment.join(', ') || null} />
      </dl>
      {decided !== null ? (
        <ApprovalOutcome decided={decided} wanted={decision.wanted} now={now} />
      ) : (
        <ApprovalButtons
          pane={pane}
          destructive={request.destructive}
          rule={request.rule}
          disabled={disabled}
          sending={decision.sending}
          onDecide={decision.decide}
        />
      )}
      <Problem error={decision.error} />
    </div>
  );

  function riskWords(): string | null {
    const undone = request.destructive ? text(strings.dock.destructive) : null;
    return [request.risk, undone].filter((part) => part !== null).join(', ') || null;
  }
}

function Fact({ name, value, loud = false }: { name: string; value: string | null; loud?: boolean }) {
  if (value === null) return null;
  return (
    <div>
      <dt className="quiet">{name}</dt>
      <dd data-loud={loud}>
        {loud && <span aria-hidden="true">▲ </span>}
        <bdi>{showUnseen(value)}</bdi>
      </dd>
    </div>
  );
}
