import { createPolicy, type Policy, type PolicyOptions } from '../../src/approvals/index.ts';
import type { PolicyVerdict } from '../../src/protocol/index.ts';

export const WORKSPACE = '/srv/project';
export const HOME = '/home/user';

export function policyWith(options: Partial<PolicyOptions> = {}): Promise<Policy> {
  return createPolicy({ workspaceRoot: WORKSPACE, home: HOME, ...options });
}

export function judgeLine(policy: Policy, line: string, cwd = WORKSPACE): PolicyVerdict {
  return policy.evaluate({ tool: 'shell_command', actions: [{ kind: 'shell', line, cwd }] });
}
