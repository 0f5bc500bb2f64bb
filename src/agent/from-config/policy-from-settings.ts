import type { Policy } from '../../approvals/index.ts';
import type { AgentSettings, PolicyRuleSetting } from './agent-settings.ts';

/** The policy of the settings; `rule` of a verdict is an index into `orderedRules`. Throws POLICY_INVALID. */
export async function policyFromSettings(
  settings: AgentSettings,
  { openPaths = [] }: { openPaths?: readonly string[] } = {},
): Promise<Policy> {
  const { policy, isTrusted, workspaceRoot, dataFolder } = settings;
  const { createPolicy } = await import('../../approvals/policy/create-policy.ts');
  return await createPolicy({
    rules: rulesOf(settings, 'user').map(({ rule }) => rule),
    workspaceRules: rulesOf(settings, 'workspace').map(({ rule }) => rule),
    isTrusted,
    workspaceRoot,
    defaults: { write: policy.write.decision, command: policy.command.decision, tool: policy.tool.decision },
    protectedPaths: [dataFolder],
    openPaths,
  });
}

/** The rules in the order of the policy: those of the user come first. */
export function orderedRules(settings: AgentSettings): PolicyRuleSetting[] {
  return [...rulesOf(settings, 'user'), ...rulesOf(settings, 'workspace')];
}

function rulesOf({ policy }: AgentSettings, wanted: PolicyRuleSetting['level']): PolicyRuleSetting[] {
  return policy.rules.filter(({ level }) => level === wanted);
}
