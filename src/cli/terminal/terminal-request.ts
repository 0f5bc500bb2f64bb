import path from 'node:path';
import { parseByteSize } from '../../config/index.ts';
import type { RuntimeParams } from '../../protocol/index.ts';
import { durationOf, environmentOf, usage } from '../run/record-options.ts';
import { flagOf, type SharedOptions } from './terminal-options.ts';

type Wanted = RuntimeParams<'session.create'>;
type Shared = Pick<Wanted, 'cwd' | 'target' | 'env' | 'limits' | 'sandbox' | 'record' | 'timeout_ms' | 'kill_grace_ms'>;
/** Fields without a value are omitted. */
type Fields = Record<string, unknown>;

/** The part of a request that sessions and one-off commands share. */
export function sharedRequest(options: SharedOptions): Shared {
  return given({
    cwd: options.cwd === undefined ? undefined : pathThere('--cwd', options.cwd, options),
    target: options.target,
    record: options.record,
    env: environmentPolicy(options),
    limits: limitsOf(options),
    sandbox: sandboxOf(options),
    timeout_ms: durationOf('--timeout', options.timeout),
    kill_grace_ms: durationOrNothing('--kill-grace', options.killGrace),
  });
}

export function given<T extends Fields>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

export function sizeOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    return parseByteSize(text);
  } catch (error) {
    throw usage(`${flag}: ${(error as Error).message}`, 'Examples: 64MiB, 2GiB, 500MB.');
  }
}

/** A duration that may be zero. */
export function durationOrNothing(flag: string, text: string | undefined): number | undefined {
  return text !== undefined && /^0+(ms|s)?$/.test(text) ? 0 : durationOf(flag, text);
}

/** Values come from our environment, not the daemon's. */
function environmentPolicy(options: SharedOptions): Wanted['env'] {
  const { env, pass_env } = environmentOf(options.env ?? []);
  const passed = Object.fromEntries(pass_env.map((name) => [name, process.env[name]!]));
  const policy = given({
    inherit: options.inherit as 'core' | undefined,
    include: options.includeEnv,
    exclude: options.excludeEnv,
    set: options.env && { ...env, ...passed },
  });
  return Object.keys(policy).length === 0 ? undefined : policy;
}

function limitsOf(options: SharedOptions): Wanted['limits'] {
  const limits = given({
    memory_bytes: sizeOf('--memory', options.memory),
    processes: wholeNumber('--processes', options.processes),
    cpu_percent: wholeNumber('--cpu-percent', options.cpuPercent),
    cpu_seconds: wholeSeconds('--cpu', options.cpu),
    open_files: wholeNumber('--open-files', options.openFiles),
    file_bytes: sizeOf('--file-size', options.fileSize),
    nice: wholeNumber('--nice', options.nice),
  });
  return Object.keys(limits).length === 0 ? undefined : limits;
}

function sandboxOf(options: SharedOptions): Wanted['sandbox'] {
  const { profile, network, readOnlyWorkspace, read, write, hide, fixed } = options;
  if (!options.sandbox) {
    const [without] = Object.keys(given({ profile, network, readOnlyWorkspace, read, write, hide, fixed }));
    if (without === undefined) return undefined;
    throw usage(`${flagOf(without)} says what a sandbox shows, and there is none`, 'Add --sandbox.');
  }
  const paths = (flag: string, all: readonly string[] | undefined) => all?.map((one) => pathThere(flag, one, options));
  return given({
    profile: profile as 'balanced' | undefined,
    network: network ? ('on' as const) : undefined,
    workspace: readOnlyWorkspace ? ('read' as const) : undefined,
    read: paths('--read', read),
    write: paths('--write', write),
    hide: paths('--hide', hide),
    fixed: paths('--fixed', fixed),
  });
}

/** A path on the machine that runs the command: a relative one can only be resolved on ours. */
function pathThere(flag: string, text: string, { target = 'host' }: SharedOptions): string {
  if (target === 'host') return path.resolve(text);
  if (path.isAbsolute(text)) return text;
  throw usage(`${flag} ${text}: on ${target} it has to be an absolute path`, 'For example: /home/ci/project');
}

function wholeNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw usage(`${flag} ${text}: not a whole number`, `For example: ${flag} 10`);
}

function wholeSeconds(flag: string, text: string | undefined): number | undefined {
  const ms = durationOf(flag, text);
  if (ms === undefined) return undefined;
  if (ms % 1000 === 0) return ms / 1000;
  throw usage(`${flag} ${text}: has to be whole seconds`, 'Examples: 60s, 10m.');
}
