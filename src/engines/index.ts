import { claude } from './claude/profile.ts';
import { codex } from './codex/profile.ts';
import { demo } from './demo/profile.ts';
import type { EngineProfile } from './engine.ts';
import { gemini } from './gemini/profile.ts';
import { iflow } from './iflow/profile.ts';
import { opencode } from './opencode/profile.ts';
import { pi } from './pi/profile.ts';
import { qwen } from './qwen/profile.ts';
import { terminal, text } from './text/profile.ts';

export type { ConditionalWords, EngineProfile, Template, Word } from './engine.ts';

/** Agent engines, in the order in which they are listed to people. */
export const ENGINES: readonly EngineProfile[] = [codex, gemini, claude, opencode, qwen, pi, iflow, demo];

const PROFILES: readonly EngineProfile[] = [...ENGINES, text, terminal];

export function findEngine(name: string): EngineProfile | null {
  return PROFILES.find((profile) => profile.name === name) ?? null;
}

/** The profile a run was recorded with; a run of an engine this version does not know is read as plain text. */
export function engineOf(name: string, { parsed = true }: { parsed?: boolean } = {}): EngineProfile {
  const profile = findEngine(name) ?? text;
  return parsed ? profile : unparsed(profile);
}

/** The engine as it is started, its output taken as that of any command: the way back when a parser is in doubt. */
function unparsed(profile: EngineProfile): EngineProfile {
  const { parser, signals, terminalBy, patterns } = text;
  return { ...profile, parser, signals, terminalBy, patterns };
}
