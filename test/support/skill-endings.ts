import path from 'node:path';
import type { CompletionState, RunMode } from '../../src/protocol/index.ts';
import { projectRoot } from './tacho.ts';

/** Endings of work with a skill, as `test/agents/end-skill.mjs` plays them. */
export interface SkillEnding {
  name: string;
  engine: 'codex' | 'claude' | 'gemini';
  mode: RunMode;
  state: CompletionState;
}

export const ENDINGS: readonly SkillEnding[] = [
  { name: 'object-result', engine: 'codex', mode: 'auto', state: 'completed' },
  { name: 'fenced-result', engine: 'claude', mode: 'auto', state: 'completed' },
  { name: 'text-result', engine: 'gemini', mode: 'auto', state: 'completed' },
  { name: 'array-result', engine: 'codex', mode: 'auto', state: 'completed' },
  { name: 'file-result', engine: 'claude', mode: 'auto', state: 'completed' },
  { name: 'lower-case-marker', engine: 'gemini', mode: 'auto', state: 'completed' },
  { name: 'after-the-answer', engine: 'codex', mode: 'interactive', state: 'completed' },
  { name: 'question', engine: 'claude', mode: 'interactive', state: 'awaiting_user_input' },
  { name: 'question-after-work', engine: 'gemini', mode: 'interactive', state: 'awaiting_user_input' },
  { name: 'missing-marker', engine: 'codex', mode: 'auto', state: 'interrupted' },
  { name: 'engine-failure', engine: 'claude', mode: 'auto', state: 'interrupted' },
  { name: 'killed', engine: 'gemini', mode: 'auto', state: 'interrupted' },
];

/** The two ways in which each of them was recorded. */
export const WAYS = ['contract', 'signal'] as const;

export function endingFile(name: string, way: (typeof WAYS)[number]): string {
  return path.join(projectRoot, 'test/fixtures/endings', name, `${way}.json`);
}

/** A recording: all bytes of stdout, and how the process ended. */
export interface RecordedEnding {
  stdout: string;
  exit_code: number | null;
  signal: string | null;
}
