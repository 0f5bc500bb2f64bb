import { type EngineName, isOwnEngine } from '../protocol/engine-names.ts';
import type { EngineDefinition, EngineReading } from '../protocol/index.ts';
import { agent } from './agent/profile.ts';
import { claude } from './claude/profile.ts';
import { codex } from './codex/profile.ts';
import { defineEngine as defineOn, recordedEngine } from './defined/define-engine.ts';
import { demo } from './demo/profile.ts';
import type { EngineProfile } from './engine.ts';
import { gemini } from './gemini/profile.ts';
import { iflow } from './iflow/profile.ts';
import { opencode } from './opencode/profile.ts';
import { pi } from './pi/profile.ts';
import { qwen } from './qwen/profile.ts';
import { readingSessions } from './sessions/session-format.ts';
import { terminal, text } from './text/profile.ts';

export { isEngineArguments, readerOf } from './defined/define-engine.ts';
export { guessEngine, scoreOf } from './detect/guess-engine.ts';
export type { ConditionalWords, EngineProfile, Template, Word } from './engine.ts';
export { readingSessions, type SessionFormat } from './sessions/session-format.ts';

/** Agent engines, in the order in which they are listed to people. Functions, because a run needs one of them. */
const ENGINES: Readonly<Record<EngineName, () => EngineProfile>> = {
  codex: () => codex,
  gemini: () => gemini,
  claude: () => claude,
  opencode: () => opencode,
  qwen: () => qwen,
  pi: () => pi,
  iflow: () => iflow,
  agent: () => agent,
  demo: () => demo,
};

const PROFILES: Readonly<Record<string, () => EngineProfile>> = {
  ...ENGINES,
  text: () => text,
  terminal: () => terminal,
};

export function listEngines(): EngineProfile[] {
  return Object.values(ENGINES).map((profile) => profile());
}

export function findEngine(name: string): EngineProfile | null {
  return isOwnEngine(name) ? PROFILES[name]!() : null;
}

/** An engine that the configuration defines. */
export function defineEngine(name: string, definition: EngineDefinition): EngineProfile {
  return defineOn(name, definition, PROFILES[definition.extends]!());
}

/** What a record keeps of a defined engine; undefined for one of ours, which needs only its name. */
export function readingOf({ definition, title, terminalBy, signals }: EngineProfile): EngineReading | undefined {
  if (definition === undefined) return undefined;
  const { started, terminal, failed } = signals;
  return {
    extends: definition.extends,
    title,
    terminal_by: terminalBy,
    signals: { started: [...started], terminal: [...terminal], failed: [...failed] },
  };
}

/**
 * The profile a run was recorded with: the one of its name, or that of `reading` for a defined engine. A run of an engine
 * this version does not know is read as plain text.
 */
export function engineOf(name: string, { parsed = true, sessionFile = false, reading }: Recorded = {}): EngineProfile {
  const base = reading === undefined ? null : findEngine(reading.extends);
  const profile = reading && base ? recordedEngine(name, reading, base) : (findEngine(name) ?? text);
  if (sessionFile && profile.sessions) return readingSessions(profile, profile.sessions);
  return parsed ? profile : unparsed(profile);
}

/** How the bytes of a run are read. */
interface Recorded {
  parsed?: boolean;
  /** They are those of a session file. */
  sessionFile?: boolean;
  /** Of an engine that the configuration defined. */
  reading?: EngineReading | undefined;
}

/** The engine as it is started, its output taken as that of any command: the way back when a parser is in doubt. */
export function unparsed(profile: EngineProfile): EngineProfile {
  const { parser, signals, terminalBy, patterns } = text;
  return { ...profile, parser, signals, terminalBy, patterns };
}
