import { type EngineProfile, readingSessions } from '../../engines/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { ByteSource } from './byte-source.ts';
import { detectFormat, HEAD_BYTES, type LogFormat } from './detect-format.ts';
import type { ImportSource } from './import-source.ts';
import { type LogPaths, OutputLogs } from './output-logs.ts';
import { SessionLog } from './session-log.ts';
import { CastRecording, ScriptRecording } from './terminal-recording.ts';

export interface OpenedImport {
  profile: EngineProfile;
  source: ImportSource;
  /** What the log was found to be, in words. */
  format: string;
}

/** Files that belong to a recorded terminal. */
export interface TerminalPaths {
  timing: string | null;
  stdin: string | null;
}

/** A log whose format is found by its content. With `engine`, it must be one of that engine. */
export function openLog(file: string, engine: EngineProfile | null, terminal: TerminalPaths): OpenedImport {
  const log = new ByteSource(file);
  try {
    return openAs(detectFormat(log.peek(HEAD_BYTES), parsing(engine)), log, engine, terminal);
  } catch (error) {
    log.close();
    throw error;
  }
}

/** Logs of which the streams are known: anything may be in them, except what another engine printed. */
export function openOutput(paths: LogPaths, engine: EngineProfile): OpenedImport {
  const source = OutputLogs.open(paths);
  try {
    for (const log of Object.values(source.logs)) if (log) refuseOthers(log, engine);
    return { profile: engine, source, format: `output of ${engine.name}` };
  } catch (error) {
    source.close();
    throw error;
  }
}

/** A merged log with its timing, whether or not `script` wrote its own lines into it. */
export function openTerminal(pty: string, engine: EngineProfile, paths: TerminalPaths): OpenedImport {
  const output = new ByteSource(pty);
  try {
    return { profile: engine, source: withTiming(output, paths), format: 'terminal log' };
  } catch (error) {
    output.close();
    throw error;
  }
}

function withTiming(output: ByteSource, { timing, stdin }: TerminalPaths): ScriptRecording {
  const input = stdin === null ? null : new ByteSource(stdin);
  try {
    return new ScriptRecording({ output, input, timing: timing === null ? null : new ByteSource(timing) });
  } catch (error) {
    input?.close();
    throw error;
  }
}

function openAs(
  found: LogFormat,
  log: ByteSource,
  engine: EngineProfile | null,
  terminal: TerminalPaths,
): OpenedImport {
  if (found.kind !== 'script' && (terminal.timing !== null || terminal.stdin !== null)) {
    throw unknownFormat(log.path, nameOf(found), '--timing and --stdin belong to a log of `script`.');
  }
  if (engine?.name === 'text' && found.kind !== 'asciicast' && found.kind !== 'script') {
    return { profile: engine, source: new OutputLogs({ stdout: log }), format: 'output of a command' };
  }
  switch (found.kind) {
    case 'asciicast': {
      const { cast } = found;
      const profile = engine ?? found.profile;
      return { profile, source: new CastRecording(log, cast), format: `asciicast v${cast.version}` };
    }
    case 'script':
      return { profile: engine ?? found.profile, source: withTiming(log, terminal), format: 'script log' };
    case 'session': {
      const profile = readingSessions(found.profile, found.format);
      return { profile, source: new SessionLog(log, found.format), format: found.format.title };
    }
    case 'output':
      return {
        profile: found.profile,
        source: new OutputLogs({ stdout: log }),
        format: `output of ${found.profile.name}`,
      };
    case 'unknown':
      throw engine ? notOf(engine, log) : unknownFormat(log.path, found.seen, WHAT_CAN_BE_GIVEN);
  }
}

const WHAT_CAN_BE_GIVEN =
  'tacho reads output of its engines (stream-json, NDJSON, JSON), session files of codex, claude, pi and agents, asciicasts and logs of ' +
  '`script`. For other output of an engine name it: tacho import <engine> --stdout <file> --exit-code <n>; for any command: text.';

/** Plain text is what any command prints: nothing of it is looked for. */
function parsing(engine: EngineProfile | null): EngineProfile | null {
  return engine?.name === 'text' ? null : engine;
}

/** A log that is clearly another engine's, or not output at all. */
function refuseOthers(log: ByteSource, engine: EngineProfile): void {
  if (engine.name === 'text') return;
  const head = log.peek(HEAD_BYTES);
  const own = detectFormat(head, engine);
  if (own.kind === 'output' || (own.kind === 'session' && own.format.isPrinted)) return;
  const found = detectFormat(head);
  // A log of `script` may begin with an error before the engine's first word.
  if (found.kind === 'unknown' || found.kind === 'script') return;
  throw unknownFormat(log.path, nameOf(found), `It is not output of ${engine.name}. ${hintFor(found)}`);
}

function notOf(engine: EngineProfile, log: ByteSource): TachoError {
  const found = detectFormat(log.peek(HEAD_BYTES));
  const fix =
    found.kind === 'unknown' ? `If ${engine.name} printed it all the same: --stdout ${log.path}.` : hintFor(found);
  return unknownFormat(log.path, nameOf(found), `It is not output or a session file of ${engine.name}. ${fix}`);
}

function hintFor(found: LogFormat): string {
  return found.kind === 'unknown'
    ? WHAT_CAN_BE_GIVEN
    : 'Leave the engine out, and the format is found: tacho import <file>.';
}

function nameOf(found: LogFormat): string {
  switch (found.kind) {
    case 'asciicast':
      return `an asciicast of version ${found.cast.version}`;
    case 'script':
      return 'a log of `script`';
    case 'session':
      return `a ${found.format.title}`;
    case 'output':
      return `output of ${found.profile.name}`;
    case 'unknown':
      return found.seen;
  }
}

function unknownFormat(path: string, seen: string, fix: string): TachoError {
  return new TachoError('IMPORT_FORMAT_UNKNOWN', `${path} cannot be imported: it looks like ${seen}`, {
    facts: { path, seen },
    fix,
  });
}
