import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Decision, PolicyRule } from '../../../src/protocol/index.ts';
import { useAction } from '../../state/actions.tsx';
import { useText } from '../../text/language.ts';
import { decide } from '../../text/sections/decide.ts';
import { strings } from '../../text/strings.ts';
import { withKey } from '../controls/key-hint.ts';
import { RulePreview } from './rule-preview.tsx';

/** The server's maximum. */
const MAX_REASON_LENGTH = 2000;

interface Props {
  pane: string | null;
  /** Cannot be allowed with a single key. */
  destructive: boolean;
  /** What can be allowed once and for all; null if nothing can. */
  rule: PolicyRule | null;
  disabled: string | null;
  sending: boolean;
  onDecide(decision: Decision): void;
}

export function ApprovalButtons({ pane, destructive, rule, disabled, sending, onDecide }: Props) {
  const text = useText();
  const [denying, setDenying] = useState(false);
  const [remembering, setRemembering] = useState(false);
  const [reason, setReason] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const off = disabled !== null || sending;

  useEffect(() => {
    if (denying) field.current?.focus();
  }, [denying]);

  function deny(event?: FormEvent): void {
    event?.preventDefault();
    if (!off) onDecide({ decision: 'denied', ...(reason.trim() === '' ? {} : { reason: reason.trim() }) });
  }

  useAction(
    'send',
    () => {
      if (off) return false;
      if (denying) return deny();
      return destructive ? false : onDecide({ decision: 'approved' });
    },
    pane,
  );
  useAction('deny', () => (off ? false : setDenying(true)), pane);

  if (remembering && rule) {
    return <RulePreview rule={rule} disabled={off} onDecide={onDecide} onCancel={() => setRemembering(false)} />;
  }
  if (denying) {
    return (
      <form className="approval-buttons" onSubmit={deny}>
        <input
          ref={field}
          aria-label={text(strings.dock.denyReason)}
          placeholder={text(strings.dock.denyReason)}
          maxLength={MAX_REASON_LENGTH}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        <button type="submit" className="danger" disabled={off}>
          {text(strings.dock.denyNow)}
        </button>
        <button type="button" onClick={() => setDenying(false)}>
          {text(strings.app.cancel)}
        </button>
      </form>
    );
  }
  return (
    <p className="approval-buttons">
      <button
        type="button"
        disabled={off}
        title={withKey(text(strings.dock.deny), 'deny')}
        onClick={() => setDenying(true)}
      >
        {text(strings.dock.deny)}
      </button>
      <button
        type="button"
        className="primary"
        disabled={off}
        title={destructive ? undefined : withKey(text(strings.dock.allowOnce), 'send')}
        onClick={() => onDecide({ decision: 'approved' })}
      >
        {text(strings.dock.allowOnce)}
      </button>
      {rule !== null && (
        <button type="button" disabled={off} onClick={() => setRemembering(true)}>
          {text(decide.always)}
        </button>
      )}
      {disabled !== null && <span className="quiet small">{disabled}</span>}
    </p>
  );
}
