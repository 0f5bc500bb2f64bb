import type { EngineProfile } from '../engine.ts';

/** Phases of a run of the agent; those of child agents have other names. */
export const AGENT_SIGNALS: EngineProfile['signals'] = {
  started: ['run_started', 'run_resumed'],
  terminal: ['run_completed', 'run_waiting.nothing'],
  waiting: ['run_waiting.question', 'run_waiting.approval'],
  failed: ['run_failed', 'run_cancelled'],
};
