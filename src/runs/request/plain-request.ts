import { fits, MAX_ARGUMENT_BYTES, type RunRequest } from '../../protocol/index.ts';

const MAX_WORDS = 4096;
const MAX_PATH_BYTES = 4096;
const MAX_DIMENSION = 65_535;

type Check = (value: unknown) => boolean;

const isText = (value: unknown, maxBytes: number) =>
  typeof value === 'string' && fits(value, maxBytes) && !value.includes('\0');
const isDimension: Check = (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_DIMENSION;
const isEmpty: Check = (value) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** The fields of a plain request; it has no others. */
const CHECKS: Record<string, Check> = {
  command: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_WORDS &&
    value.every((word) => isText(word, MAX_ARGUMENT_BYTES)),
  environment: (value) => value === 'inherited' || value === 'isolated',
  cwd: (value) => isText(value, MAX_PATH_BYTES) && String(value).startsWith('/'),
  cols: isDimension,
  rows: isDimension,
  env: (value) => isEmpty(value) && !Array.isArray(value),
  pass_env: (value) => isEmpty(value) && Array.isArray(value),
  recording: (value) => isEmpty(value) && !Array.isArray(value),
  limits: (value) => isEmpty(value) && !Array.isArray(value),
};

/**
 * The result of `runRequestSchema` for a command with only a folder, a kind of environment and a size; null for any
 * other value. Building that schema and checking with it takes `tacho run` 20 ms, as long as the whole record.
 */
export function plainRequest(value: unknown): RunRequest | null {
  if (typeof value !== 'object' || value === null) return null;
  const given = Object.entries(value).filter(([, field]) => field !== undefined);
  if (!given.every(([name, field]) => Object.hasOwn(CHECKS, name) && CHECKS[name]!(field))) return null;
  const { command, cwd, environment, cols, rows } = value as RunRequest;
  if (command === undefined) return null;
  return {
    command: [...command],
    ...(cwd === undefined ? {} : { cwd }),
    ...(environment === undefined ? {} : { environment }),
    ...(cols === undefined ? {} : { cols }),
    ...(rows === undefined ? {} : { rows }),
    mode: 'auto',
    engine_args: [],
    require_marker: false,
    parse: true,
    auth_from_home: false,
    env: {},
    pass_env: [],
    inherit_env: true,
    keep_trace: false,
    recording: {},
    limits: {},
    priority: 0,
  };
}
