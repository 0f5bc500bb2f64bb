import type { Config, HeldBack } from '../../config/index.ts';
import type { Budgets, PolicyDecision, PolicyRule } from '../../protocol/index.ts';
import type { PromptPiece } from '../prompt/pieces.ts';
import type { LoopSettings } from '../settings.ts';
import type { SecretKey } from './secret-key.ts';

/** All that a configuration says about an agent: plain, frozen data, with the origin of what policy and prompt say. */
export interface AgentSettings {
  /** Without links. */
  readonly workspaceRoot: string;
  readonly dataFolder: string;
  readonly model: ModelSettings;
  readonly loop: LoopSettings;
  readonly budgets: Budgets;
  readonly prompt: PromptSettings;
  readonly tools: Config['tools'];
  readonly policy: PolicySettings;
  readonly approver: Config['safety']['approver'];
  readonly sandbox: SandboxSettings;
  readonly skills: Config['skills'];
  /** Those that are enabled. */
  readonly mcpServers: readonly McpServerSettings[];
  /** Values that must not appear in any log: keys and tokens that the settings name. */
  readonly secrets: readonly SecretKey[];
  /** Patterns of the names of further variables whose values are secret. */
  readonly secretNames: readonly string[];
  /** Patterns of the names of variables that commands get. */
  readonly inherit: readonly string[];
  readonly isTrusted: boolean;
  /** What the workspace wanted in vain. */
  readonly ignored: readonly IgnoredSetting[];
}

export interface ModelSettings {
  readonly provider: Config['llm']['provider'];
  /** Null: the usual one of the provider. */
  readonly baseUrl: string | null;
  /** Null if none is configured. */
  readonly executor: string | null;
  readonly planner: string | null;
  /** The variable of the key; null if the provider needs none. */
  readonly keyName: string | null;
  /** Null if that variable is not set. */
  readonly key: SecretKey | null;
  readonly timeoutMs: number;
  readonly requests: Config['llm']['requests'];
}

export interface PromptSettings {
  readonly template: string;
  /** Replaces the template. */
  readonly system: PromptPiece | null;
  readonly developer: readonly PromptPiece[];
}

/** Who states a part of the policy. A workspace can add to what the user says, and cannot take from it. */
export type PolicyLevel = 'default' | 'user' | 'workspace';

export interface PolicySettings {
  /** Where no rule decides. */
  readonly write: PolicyDefault;
  readonly command: PolicyDefault;
  readonly tool: PolicyDefault;
  readonly rules: readonly PolicyRuleSetting[];
}

export interface PolicyDefault {
  readonly decision: PolicyDecision;
  readonly level: PolicyLevel;
  /** Such as `config/tacho.yaml:3:5`. */
  readonly source: string;
}

export interface PolicyRuleSetting {
  readonly rule: PolicyRule;
  readonly level: Exclude<PolicyLevel, 'default'>;
  readonly source: string;
}

export interface SandboxSettings {
  readonly profile: Config['sandbox']['profile'];
  /** Null: that of the profile. */
  readonly network: 'on' | 'off' | null;
  /** Absolute. */
  readonly read: readonly string[];
  readonly write: readonly string[];
}

export interface McpServerSettings {
  readonly name: string;
  readonly command: readonly string[] | null;
  readonly url: string | null;
  /** Null if the server needs none, or its variable is not set. */
  readonly token: SecretKey | null;
  readonly tools: readonly string[];
  readonly timeoutMs: number;
}

export interface IgnoredSetting {
  /** The key, or the variable of a `.env`. */
  readonly path: string;
  readonly value: HeldBack['value'];
  readonly source: string;
  /** `untrusted`: it needs `tacho trust`. `looser`: the user's own settings are stricter. */
  readonly reason: 'untrusted' | 'looser';
}
