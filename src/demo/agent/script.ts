import type { TurnEnd } from './agent-event.ts';
import type { Decision } from './decision.ts';
import type { Stage } from './stage.ts';

/** One turn of a script: what it finds, and what it can do. */
export interface Turn {
  stage: Stage;
  prompt: string;
  unattended: boolean;
  /** Kept for the turns to come. */
  memory: Record<string, unknown>;
  pace: number;
  /** Asks to be allowed a command and waits for the decision; null when none came in time. */
  approval(summary: string, command: readonly string[]): Promise<Decision | null>;
  /** The decision on what was asked for before: it may have come meanwhile, or be what the prompt says. */
  pendingDecision(): Decision | null;
}

/** The mind of the agent. */
export interface Script {
  name: string;
  /** Played for prompts with this word in them. */
  word: RegExp | null;
  play(turn: Turn): Promise<TurnEnd>;
}

/** By which the end of the work is recognised; in a code fence, as agents are asked to write it. */
export function doneMarker(result: Record<string, unknown>): string {
  return `\`\`\`json\n${JSON.stringify({ __SKILL_DONE__: true, ...result })}\n\`\`\``;
}
