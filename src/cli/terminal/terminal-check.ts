import type * as z from 'zod';
import { formatByteSize, formatDuration } from '../../config/index.ts';
import { RUNTIME_METHODS } from '../../protocol/index.ts';
import { usage } from '../run/record-options.ts';
import { flagOf } from './terminal-options.ts';

/** The option that sets each field of a request. */
const OPTION_OF: Record<string, string> = {
  name: 'name',
  shell: 'shell',
  target: 'target',
  cwd: 'cwd',
  cols: 'size',
  rows: 'size',
  buffer_bytes: 'buffer',
  timeout_ms: 'timeout',
  kill_grace_ms: 'killGrace',
  linger_ms: 'linger',
  idle_ms: 'idle',
  life_ms: 'life',
  'env.inherit': 'inherit',
  'env.include': 'includeEnv',
  'env.exclude': 'excludeEnv',
  'limits.memory_bytes': 'memory',
  'limits.processes': 'processes',
  'limits.cpu_percent': 'cpuPercent',
  'limits.cpu_seconds': 'cpu',
  'limits.open_files': 'openFiles',
  'limits.file_bytes': 'fileSize',
  'limits.nice': 'nice',
  'sandbox.profile': 'profile',
  'sandbox.read': 'read',
  'sandbox.write': 'write',
  'sandbox.hide': 'hide',
  'sandbox.fixed': 'fixed',
};

/** Rejects invalid requests before a daemon is started, in terms of the command line. */
export function checkRequest(method: 'session.create' | 'exec.run', request: object, options: object): void {
  const checked = RUNTIME_METHODS[method].params.safeParse(request);
  if (checked.success) return;
  const help = `See: tacho terminal ${method === 'exec.run' ? 'exec' : 'create'} --help`;
  const issue = checked.error.issues[0]!;
  const words = issue.path.filter((part) => typeof part === 'string');
  const option = OPTION_OF[words.slice(0, 2).join('.')] ?? OPTION_OF[words[0] ?? ''];
  if (option === undefined) throw usage(`${words.join('.')}: ${issue.message}`, help);
  const text = String((options as Record<string, unknown>)[option]);
  throw usage(`${flagOf(option)} ${text}: ${complaint(issue, words)}`, help);
}

/** Describes a schema problem for users. */
function complaint(issue: z.core.$ZodIssue, field: readonly string[]): string {
  const measure = (value: unknown) => {
    const unit = field.at(-1)?.split('_').at(-1);
    if (unit === 'bytes') return formatByteSize(Number(value));
    return unit === 'ms' ? formatDuration(Number(value)) : String(value);
  };
  switch (issue.code) {
    case 'too_small':
      return `has to be at least ${measure(issue.minimum)}`;
    case 'too_big':
      return `has to be at most ${measure(issue.maximum)}${issue.origin === 'string' ? ' characters' : ''}`;
    case 'invalid_value':
      return `has to be one of ${issue.values.join(', ')}`;
    case 'invalid_format':
      return field[0] === 'env' ? 'not a name for a variable' : issue.message;
    default:
      return issue.message;
  }
}
