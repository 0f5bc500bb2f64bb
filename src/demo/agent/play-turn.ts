import path from 'node:path';
import { AGENT_FORMAT, type Print } from './agent-event.ts';
import type { AgentArguments } from './arguments.ts';
import { chooseScript, scriptNamed } from './choose-script.ts';
import { decisionFromFile, decisionFromInput, decisionInWords, readDecision, waitForDecision } from './decision.ts';
import { Failure } from './failure.ts';
import type { Turn } from './script.ts';
import { loadSession, newSession, type Session, saveSession } from './session.ts';
import { createStage } from './stage.ts';

export interface Surroundings {
  home: string;
  /** Folder for decisions, if not the agent's own. */
  approvals: string | null;
  input: NodeJS.ReadableStream;
  print: Print;
  /** Prints a line that is not an event. */
  printLine(text: string): void;
}

/** The done signal of a program that waits for a decision. */
const SUSPENDED =
  'AGENT_ENV_DONE {"version":"1","state":"awaiting_user_input","needs_user_input":true,"reason_code":"APPROVAL_PENDING","result_kind":"none"}';

/** Plays one turn from its first event to its last; returns the exit code. */
export async function playTurn(given: AgentArguments, surroundings: Surroundings): Promise<number> {
  const { home, print, printLine } = surroundings;
  let session: Session;
  try {
    session = given.session === null ? newSession(chooseScript(given.prompt).name) : loadSession(home, given.session);
  } catch (error) {
    print({ type: 'error', message: (error as Error).message });
    return 1;
  }
  const { session_id, script } = session;
  session.turn++;
  print({ type: 'session', format: AGENT_FORMAT, session_id, script, resumed: given.session !== null });
  print({ type: 'turn_started', turn: session.turn });
  saveSession(home, session);
  const turn = createTurn(given, session, surroundings);
  try {
    const reason = await scriptNamed(script).play(turn);
    saveSession(home, session);
    print({ type: 'turn_finished', reason, usage: turn.stage.usage() });
    if (reason === 'suspended') printLine(SUSPENDED);
    return 0;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    print({ type: 'error', message: error.message });
    return 1;
  }
}

function createTurn(
  { prompt, unattended, pace, approvalWaitMs }: AgentArguments,
  { session_id, memory }: Session,
  { home, approvals, input, print }: Surroundings,
): Turn {
  const folder = approvals ?? path.join(home, '.tacho-demo', 'approvals');
  return {
    stage: createStage({ print, prompt, pace }),
    prompt,
    unattended,
    memory,
    pace,
    async approval(summary, command) {
      const approval_id = `${session_id}.1`;
      memory.approval_id = approval_id;
      print({ type: 'approval_requested', approval_id, summary, command });
      const sources = [decisionFromFile(folder), decisionFromInput(input)];
      const decision = await waitForDecision(approval_id, approvalWaitMs, sources);
      if (decision) print({ type: 'approval_decided', approval_id, ...decision });
      return decision;
    },
    pendingDecision() {
      const approval_id = String(memory.approval_id);
      const decision = readDecision(folder, approval_id) ?? decisionInWords(prompt);
      if (decision) print({ type: 'approval_decided', approval_id, ...decision });
      return decision;
    },
  };
}
