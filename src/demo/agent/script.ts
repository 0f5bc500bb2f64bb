import type { TurnEnd } from './agent-event.ts';
import type { Decision } from './decision.ts';
import type { Stage } from './stage.ts';

/** One turn of a script: its input and its actions. */
export interface Turn {
  stage: Stage;
  prompt: string;
  unattended: boolean;
  /** Kept for later turns. */
  memory: Record<string, unknown>;
  pace: number;
  /** Asks for approval of a command and waits for the decision; null when none arrives in time. */
  approval(summary: string, command: readonly string[]): Promise<Decision | null>;
  /** The decision on an earlier request: it may have arrived meanwhile, or be in the prompt. */
  pendingDecision(): Decision | null;
}

/** The behaviour of the agent. */
export interface Script {
  name: string;
  /** Selects the script for prompts that contain it. */
  word: RegExp | null;
  play(turn: Turn): Promise<TurnEnd>;
}

/** The done marker; in a code fence, as agents are asked to write it. */
export function doneMarker(result: Record<string, unknown>): string {
  return `\`\`\`json\n${JSON.stringify({ __SKILL_DONE__: true, ...result })}\n\`\`\``;
}
