export { formatByteSize, parseByteSize } from './byte-size.ts';
export { dataFolderOf } from './data-folder.ts';
export { defaultYaml } from './default-yaml.ts';
export { DEFAULTS } from './defaults.ts';
export { describeConfig } from './describe.ts';
export { formatDuration, parseDuration } from './duration.ts';
export { addRule } from './edit/add-rule.ts';
export type { EditRequest } from './edit/change-file.ts';
export { checkConfig } from './edit/check-config.ts';
export { configValue } from './edit/config-value.ts';
export { setConfig, unsetConfig } from './edit/edit-config.ts';
export { embeddedList, embeddedName, readEmbedded } from './embedded-files.ts';
export { explainConfig, explainOrigin, formatValue } from './explain.ts';
export { findConfigKey } from './find-key.ts';
export { freezeDeep } from './freeze-deep.ts';
export { nearest } from './nearest-key.ts';
export {
  type EnvFileKey,
  type LoadConfigRequest,
  type LoadedConfig,
  loadConfig,
  type SessionSettings,
} from './overlays.ts';
export { makePrivateFolder } from './private-folder.ts';
export { type ConfigProblem, printable } from './problem.ts';
export { type Config, type ConfigSettings, configSchema } from './schema.ts';
export type { ContainerTarget, SshTarget } from './sections/targets.ts';
export { ownProgramCommand, selfCommand } from './self-command.ts';
export { type ConfigSource, formatSource } from './source.ts';
export { promptText } from './sources/prompt-files.ts';
export type { HeldBack } from './trust/hold-back.ts';
export { describeIgnored, type WorkspaceTrust } from './trust/ignored-settings.ts';
export { nameMatcher } from './trust/name-matcher.ts';
export { canHoldTrust, listTrust, removeTrust, storeTrust, trustedSkills } from './trust/trust-store.ts';
export { realFolder } from './trust/workspace-folder.ts';
