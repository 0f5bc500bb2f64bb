export { formatByteSize, parseByteSize } from './byte-size.ts';
export { defaultYaml } from './default-yaml.ts';
export { DEFAULTS } from './defaults.ts';
export { describeConfig } from './describe.ts';
export { formatDuration, parseDuration } from './duration.ts';
export { explainConfig } from './explain.ts';
export { type LoadConfigRequest, type LoadedConfig, loadConfig } from './overlays.ts';
export type { ConfigProblem } from './problem.ts';
export { type Config, type ConfigSettings, configSchema } from './schema.ts';
