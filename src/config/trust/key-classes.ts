import type { Config } from '../schema.ts';
import { among, atLeast, atMost, onlyMatched, type Tighten, withAll, withoutAllow } from './tighten.ts';

/** `recording.level`, and so on: every key of the configuration. */
export type ConfigPath = {
  [Section in keyof Config & string]: `${Section}.${keyof Config[Section] & string}`;
}[keyof Config & string];

/**
 * What workspace files may do with a key before they are trusted. Their author may be hostile, and an agent can write
 * them for its next run. Harmless keys apply, `needs_trust` keys do not. A function only allows what is stricter than the
 * configuration without those files.
 */
export type KeyClass = 'harmless' | { harmlessUpTo: number } | 'needs_trust' | Tighten;

const STRICTEST_FIRST = ['deny', 'ask', 'allow'];

/** Every key has a class: a missing one is a compiler error and fails a test. */
export const KEY_CLASSES: Readonly<Record<ConfigPath, KeyClass>> = {
  'recording.level': among(['full', 'standard', 'minimal'], (base) => base.recording.level),
  'recording.capture': 'needs_trust',
  'recording.ignore': 'needs_trust',
  'recording.gitignore': among(['skip', 'apply'], (base) => base.recording.gitignore),
  // A lower limit hides changes, a higher one delays the start.
  'recording.snapshot_entries': 'needs_trust',
  'recording.snapshot_ms': 'needs_trust',
  'recording.blob_max_bytes': 'needs_trust',
  'recording.checkpoint_bytes': atMost((base) => base.recording.checkpoint_bytes),
  'recording.checkpoint_ms': atMost((base) => base.recording.checkpoint_ms),
  'journal.fsync': among(['each', 'interval', 'off'], (base) => base.journal.fsync),
  'journal.fsync_interval_ms': atMost((base) => base.journal.fsync_interval_ms),
  // Larger than any real terminal; every replay of the run keeps the screen in memory.
  'terminal.cols': { harmlessUpTo: 1000 },
  'terminal.rows': { harmlessUpTo: 1000 },
  'terminal.term': 'harmless',
  'limits.timeout_ms': atMost((base) => base.limits.timeout_ms),
  // It replaces the limit for engines, so it must not be longer than that one either.
  'limits.no_progress_timeout_ms': atMost(
    ({ limits, engines }) => limits.no_progress_timeout_ms ?? engines.no_progress_timeout_ms,
  ),
  'limits.kill_grace_ms': atMost((base) => base.limits.kill_grace_ms),
  'limits.linger_ms': atMost((base) => base.limits.linger_ms),
  'limits.disk_floor_bytes': atLeast((base) => base.limits.disk_floor_bytes),
  'engines.folder': 'needs_trust',
  'engines.no_progress_timeout_ms': atMost((base) => base.engines.no_progress_timeout_ms),
  // Written as `engines.<name>`: it chooses a program that gets the keys of the user.
  'engines.defined': 'needs_trust',
  'service.host': 'needs_trust',
  'service.port': 'needs_trust',
  'service.slots': 'needs_trust',
  'service.public_url': 'needs_trust',
  'service.allowed_hosts': 'needs_trust',
  'service.queue_limit': atMost((base) => base.service.queue_limit),
  'runtime.timeout_ms': atMost((base) => base.runtime.timeout_ms),
  'runtime.max_sessions': atMost((base) => base.runtime.max_sessions),
  'runtime.max_agents': atMost((base) => base.runtime.max_agents),
  'runtime.max_agent_depth': atMost((base) => base.runtime.max_agent_depth),
  'runtime.socket_secret': among(['required', 'optional'], (base) => base.runtime.socket_secret),
  'runtime.memory_bytes': atMost((base) => base.runtime.memory_bytes),
  'runtime.processes': atMost((base) => base.runtime.processes),
  'runtime.cpu_percent': atMost((base) => base.runtime.cpu_percent),
  'runtime.cpu_seconds': atMost((base) => base.runtime.cpu_seconds),
  'runtime.open_files': atMost((base) => base.runtime.open_files),
  'runtime.file_bytes': atMost((base) => base.runtime.file_bytes),
  'runtime.nice': atLeast((base) => base.runtime.nice ?? 0),
  'skills.spaces': 'needs_trust',
  'skills.sources': 'needs_trust',
  'skills.refresh': 'needs_trust',
  'skills.ttl_ms': 'needs_trust',
  'skills.source_timeout_ms': atMost((base) => base.skills.source_timeout_ms),
  'skills.inject': among(['off', 'mentioned'], (base) => base.skills.inject),
  'skills.list_max_chars': atMost((base) => base.skills.list_max_chars),
  'skills.body_max_bytes': atMost((base) => base.skills.body_max_bytes),
  'skills.inject_max_bytes': atMost((base) => base.skills.inject_max_bytes),
  'skills.layers': 'needs_trust',
  'skills.texts': 'needs_trust',
  // The key of the user goes to this address.
  'llm.provider': 'needs_trust',
  'llm.base_url': 'needs_trust',
  'llm.api_key_env': 'needs_trust',
  'llm.timeout_ms': 'needs_trust',
  'llm.max_retries': 'needs_trust',
  'llm.retry_base_ms': 'needs_trust',
  'llm.retry_max_ms': 'needs_trust',
  'llm.retry_after_max_ms': 'needs_trust',
  'llm.max_output_tokens': atMost((base) => base.llm.max_output_tokens),
  'llm.temperature': 'needs_trust',
  'llm.requests': among(['forbid', 'allow'], (base) => base.llm.requests),
  'models.executor': 'needs_trust',
  'models.planner': 'needs_trust',
  // A low price evades a cost budget.
  'models.prices': 'needs_trust',
  'prompt.system_template': 'needs_trust',
  'prompt.system_file': 'needs_trust',
  'prompt.developer': 'needs_trust',
  'prompt.developer_file': 'needs_trust',
  // Shorter is not stricter: rules that the user stated early would be forgotten.
  'prompt.history_max_messages': 'needs_trust',
  'prompt.history_max_chars': 'needs_trust',
  'prompt.on_overflow': 'needs_trust',
  'tools.enabled': onlyMatched((base) => base.tools.enabled),
  'tools.disabled': withAll((base) => base.tools.disabled),
  'tools.timeout_ms': atMost((base) => base.tools.timeout_ms),
  'tools.max_output_bytes': atMost((base) => base.tools.max_output_bytes),
  'tools.parallel': atMost((base) => base.tools.parallel),
  'safety.write': among(STRICTEST_FIRST, (base) => base.safety.write),
  'safety.command': among(STRICTEST_FIRST, (base) => base.safety.command),
  'safety.tool': among(STRICTEST_FIRST, (base) => base.safety.tool),
  'safety.rules': withoutAllow,
  'safety.approver': among(['deny', 'later', 'terminal'], (base) => base.safety.approver),
  'safety.max_steps': atMost((base) => base.safety.max_steps),
  'safety.max_wall_ms': atMost((base) => base.safety.max_wall_ms),
  'safety.max_tokens': atMost((base) => base.safety.max_tokens),
  'safety.max_cost_usd': atMost((base) => base.safety.max_cost_usd),
  'safety.max_denials': atMost((base) => base.safety.max_denials),
  'safety.no_progress_steps': atMost((base) => base.safety.no_progress_steps),
  'sandbox.profile': among(['prod', 'balanced', 'dev', 'none'], (base) => base.sandbox.profile),
  'sandbox.network': among(['off', 'default', 'on'], (base) => base.sandbox.network),
  'sandbox.read': 'needs_trust',
  'sandbox.write': 'needs_trust',
  'mcp.servers': 'needs_trust',
  'targets.ssh': 'needs_trust',
  'targets.container': 'needs_trust',
  'targets.single_file': 'needs_trust',
  // Not even fewer names: without a proxy's variable, a program would bypass the proxy.
  'environment.inherit': 'needs_trust',
  'environment.pass': 'needs_trust',
  'environment.secret_names': withAll((base) => base.environment.secret_names),
};
