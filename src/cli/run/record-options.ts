import path from 'node:path';
import type { NewRun } from '../../client/index.ts';
import { parseDuration } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { RecordOptions } from '../commands/run.ts';

export function usage(message: string, fix: string): TachoError {
  return new TachoError('USAGE', message, { fix });
}

/** Converts recording options to fields of a request. */
export function recordFields(options: RecordOptions): Pick<NewRun, 'recording' | 'limits'> {
  if (options.keepTrace && options.capture !== 'trace') {
    throw usage('--keep-trace needs a trace to keep', 'Add --capture trace.');
  }
  return {
    recording: present({ level: options.level }) as NewRun['recording'],
    limits: present({
      timeout_ms: durationOf('--timeout', options.timeout),
      no_progress_timeout_ms: durationOf('--no-progress-timeout', options.noProgressTimeout),
    }),
  };
}

function present<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** A bare number means seconds, as in timeout(1). */
export function durationOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    const duration = parseDuration(/^\d+(\.\d+)?$/.test(text) ? `${text}s` : text);
    if (duration > 0) return duration;
  } catch (cause) {
    throw new TachoError('USAGE', `${flag} ${text}: ${(cause as Error).message}`, {
      cause,
      fix: 'Examples: 90s, 10m, 1h30m.',
    });
  }
  throw usage(`${flag} ${text}: must be greater than zero`, 'Examples: 90s, 10m, 1h30m.');
}

/** `NAME=value` sets a variable, `NAME` passes on its current value. */
export function environmentOf(
  entries: readonly string[],
  before: NewRun['env'] = {},
): { env: Record<string, string>; pass_env: string[] } {
  const env: Record<string, string> = { ...before };
  const pass_env: string[] = [];
  for (const entry of entries) {
    const equals = entry.indexOf('=');
    const name = equals < 0 ? entry : entry.slice(0, equals);
    if (equals >= 0) env[name] = entry.slice(equals + 1);
    else if (process.env[name] === undefined) throw usage(`--env ${name}: not set here`, `Use --env ${name}=value.`);
    else pass_env.push(name);
  }
  for (const name of pass_env) delete env[name];
  return { env, pass_env };
}

/** An interactive shell takes its job control from fd 2, so it needs both streams on one terminal. */
export const SHELL_REASON = 'an interactive shell needs one terminal for job control';

export function chooseCapture(
  options: RecordOptions,
  { command = [], capture, capture_reason }: NewRun,
  { interactive }: { interactive: boolean },
): Pick<NewRun, 'capture' | 'capture_reason'> {
  if (options.capture !== undefined) return { capture: options.capture as NewRun['capture'] };
  const shell = /^(ba|z|da|a|k|mk|fi|c|tc)?sh$/.test(path.basename(command[0] ?? ''));
  if (interactive && shell && command.slice(1).every((word) => word.startsWith('-') && word !== '-c')) {
    return { capture: 'merged', capture_reason: SHELL_REASON };
  }
  return { capture, capture_reason };
}

/** How to show the output: unchanged, as a summary, as a conversation, or as a chat. */
export function translateOf(text: string | undefined, fallback: 0 | 3): 0 | 1 | 2 | 3 {
  if (text === undefined) return fallback;
  if (/^[0-3]$/.test(text)) return Number(text) as 0 | 1 | 2 | 3;
  throw usage(
    `--translate ${text} is not known`,
    'Use 0 (output as it is), 1 (summary), 2 (conversation as JSON) or 3 (chat).',
  );
}
