import { useEffect, useRef } from 'react';
import type { Decision, PolicyRule } from '../../../src/protocol/index.ts';
import { ruleSubject } from '../../model/conversation/rule-subject.ts';
import { useText } from '../../text/language.ts';
import { decide } from '../../text/sections/decide.ts';
import { strings } from '../../text/strings.ts';

interface Props {
  rule: PolicyRule;
  disabled: boolean;
  onDecide(decision: Decision): void;
  onCancel(): void;
}

/** The rule that would be added, word for word, before anything is decided. */
export function RulePreview({ rule, disabled, onDecide, onCancel }: Props) {
  const text = useText();
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  const { kind, words } = ruleSubject(rule);
  const named = { command: decide.ruleCommand, tool: decide.ruleTool, path: decide.rulePath }[kind];
  const remember = (scope: NonNullable<Decision['remember']>) => onDecide({ decision: 'approved', remember: scope });
  return (
    <div className="approval-rule">
      <p>
        {text(decide.ruleAllows)} <bdi>{text(named)(words)}</bdi>
      </p>
      <code className="approval-code bytes">{JSON.stringify(rule)}</code>
      <p className="quiet small">{text(decide.ruleKept)}</p>
      <p className="approval-buttons">
        <button ref={first} type="button" disabled={disabled} onClick={() => remember('run')}>
          {text(decide.forRun)}
        </button>
        <button type="button" className="primary" disabled={disabled} onClick={() => remember('always')}>
          {text(decide.alwaysNow)}
        </button>
        <button type="button" onClick={onCancel}>
          {text(strings.app.cancel)}
        </button>
      </p>
    </div>
  );
}
