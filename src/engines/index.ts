import { claude } from './claude/profile.ts';
import { codex } from './codex/profile.ts';
import { demo } from './demo/profile.ts';
import type { EngineProfile } from './engine.ts';
import { gemini } from './gemini/profile.ts';
import { iflow } from './iflow/profile.ts';
import { opencode } from './opencode/profile.ts';
import { pi } from './pi/profile.ts';
import { qwen } from './qwen/profile.ts';
import { readingSessions } from './sessions/session-format.ts';
import { terminal, text } from './text/profile.ts';

export type { ConditionalWords, EngineProfile, Template, Word } from './engine.ts';
export { readingSessions, type SessionFormat } from './sessions/session-format.ts';

/** Agent engines, in the order in which they are listed to people. Functions, because a run needs one of them. */
const ENGINES = {
  codex: () => codex,
  gemini: () => gemini,
  claude: () => claude,
  opencode: () => opencode,
  qwen: () => qwen,
  pi: () => pi,
  iflow: () => iflow,
  demo: () => demo,
};

const PROFILES: Readonly<Record<string, () => EngineProfile>> = {
  ...ENGINES,
  text: () => text,
  terminal: () => terminal,
};

export const ENGINE_NAMES: readonly string[] = Object.keys(ENGINES);

export function listEngines(): EngineProfile[] {
  return Object.values(ENGINES).map((profile) => profile());
}

export function findEngine(name: string): EngineProfile | null {
  return Object.hasOwn(PROFILES, name) ? PROFILES[name]!() : null;
}

/** The profile a run was recorded with; a run of an engine this version does not know is read as plain text. */
export function engineOf(name: string, { parsed = true, sessionFile = false }: Reading = {}): EngineProfile {
  const profile = findEngine(name) ?? text;
  if (sessionFile && profile.sessions) return readingSessions(profile, profile.sessions);
  return parsed ? profile : unparsed(profile);
}

/** How the bytes of a run are read. */
interface Reading {
  parsed?: boolean;
  /** They are those of a session file. */
  sessionFile?: boolean;
}

/** The engine as it is started, its output taken as that of any command: the way back when a parser is in doubt. */
function unparsed(profile: EngineProfile): EngineProfile {
  const { parser, signals, terminalBy, patterns } = text;
  return { ...profile, parser, signals, terminalBy, patterns };
}
