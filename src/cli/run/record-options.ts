import path from 'node:path';
import { type ConfigSettings, parseDuration } from '../../config/index.ts';
import { type CaptureMode, captureModeSchema, recordingLevelSchema, TachoError } from '../../protocol/index.ts';
import type { RunContext } from '../../runs/index.ts';
import type { RecordOptions } from './run.ts';

export function usage(message: string, fix: string): TachoError {
  return new TachoError('USAGE', message, { fix });
}

/** Options that stand for settings, as the layer of configuration that counts most. */
export function settingsOf(options: RecordOptions): ConfigSettings {
  const level = options.level === undefined ? undefined : recordingLevelSchema.safeParse(options.level);
  if (level && !level.success) throw usage(`--level ${options.level} is not known`, 'Use full, standard or minimal.');
  if (options.keepTrace && options.capture !== 'trace') {
    throw usage('--keep-trace needs a trace to keep', 'Add --capture trace.');
  }
  return {
    recording: { level: level?.data },
    limits: {
      timeout_ms: durationOf('--timeout', options.timeout),
      no_progress_timeout_ms: durationOf('--no-progress-timeout', options.noProgressTimeout),
    },
  } as ConfigSettings;
}

/** A bare number means seconds, as it does for timeout(1). */
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
  throw usage(`${flag} ${text}: must be more than nothing`, 'Examples: 90s, 10m, 1h30m.');
}

/** `NAME=value` sets, `NAME` passes on what is set here. */
export function environmentOf(entries: readonly string[]): { env: Record<string, string>; passEnv: string[] } {
  const env: Record<string, string> = {};
  const passEnv: string[] = [];
  for (const entry of entries) {
    const equals = entry.indexOf('=');
    const name = equals < 0 ? entry : entry.slice(0, equals);
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw usage(`--env ${name}: not a name for a variable`, 'Use --env NAME=value, or --env NAME to pass it on.');
    }
    if (equals >= 0) env[name] = entry.slice(equals + 1);
    else if (process.env[name] === undefined) throw usage(`--env ${name}: not set here`, `Use --env ${name}=value.`);
    else passEnv.push(name);
  }
  return { env, passEnv };
}

/** A shell that a person types into takes its job control from fd 2, so it needs both streams on one terminal. */
export function chooseCapture(
  options: RecordOptions,
  command: readonly string[],
  context: RunContext,
  { interactive }: { interactive: boolean },
): { capture: CaptureMode; captureReason: string } {
  if (options.capture !== undefined) {
    const mode = captureModeSchema.safeParse(options.capture);
    if (!mode.success) throw usage(`--capture ${options.capture} is not known`, 'Use split, trace or merged.');
    return { capture: mode.data, captureReason: 'asked for on the command line' };
  }
  const shell = /^(ba|z|da|k|fi)?sh$/.test(path.basename(command[0] ?? ''));
  if (interactive && shell && command.slice(1).every((word) => word.startsWith('-') && word !== '-c')) {
    return { capture: 'merged', captureReason: 'an interactive shell on a terminal' };
  }
  return { capture: context.config.recording.capture, captureReason: 'configuration' };
}

/** How the output is shown: as it is, as a summary, as a conversation, as a chat. */
export function translateOf(text: string | undefined, fallback: 0 | 3): 0 | 1 | 2 | 3 {
  if (text === undefined) return fallback;
  if (/^[0-3]$/.test(text)) return Number(text) as 0 | 1 | 2 | 3;
  throw usage(
    `--translate ${text} is not known`,
    'Use 0 (output as it is), 1 (summary), 2 (conversation as JSON) or 3 (chat).',
  );
}
