import type { Approver } from '../../approvals/index.ts';
import type { AgentSettings } from './agent-settings.ts';

/** The approver of `safety.approver`; undefined if that is the terminal and there is none. */
export function approverFromSettings(
  { approver }: Pick<AgentSettings, 'approver'>,
  terminal: Approver | 'later' | undefined,
): Approver | 'later' | undefined {
  switch (approver) {
    case 'terminal':
      return terminal;
    case 'later':
      return 'later';
    case 'deny': {
      const reason = 'safety.approver is deny: calls that have to be asked about are denied';
      return { decide: () => Promise.resolve({ decision: 'denied', reason, rule: null, by: 'policy' }) };
    }
  }
}
