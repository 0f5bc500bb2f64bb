/** Where a value was set. Lines and columns count from 1, as in editors. */
export interface ConfigSource {
  kind: 'default' | 'file' | 'environment' | 'env_file' | 'session';
  /** A file's name as the user knows it, an environment variable, or the label of a session setting. */
  name: string;
  line?: number;
  col?: number;
}

export const EMBEDDED_DEFAULT: ConfigSource = Object.freeze({ kind: 'default', name: 'default' });

/** `config/tacho.yaml:12:3`, `TACHO_RECORDING_LEVEL`, `--timeout`, `default`. */
export function formatSource(source: ConfigSource): string {
  if (source.line === undefined) return source.name;
  return `${source.name}:${source.line}:${source.col ?? 1}`;
}
