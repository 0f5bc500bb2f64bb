import type { ProcessIdentity } from '../../protocol/index.ts';

/** The parameters of one attempt, as opposed to the request, which all attempts share. */
export interface AttemptOrder {
  /** An existing run that gets another attempt; null creates a new run. */
  run: string | null;
  /** The engine session to continue; null starts a new one. */
  session: string | null;
  /** The message to the engine; null: the prompt of the request. */
  text: string | null;
  /** The same by the ids of the single questions, if there are any. */
  answers?: Record<string, string> | undefined;
  /** The question that the text answers. */
  interaction_id: string | null;
  /** The events already contain the queued attempt and its text. */
  announced: boolean;
  /** A user types: input is echoed. */
  interactive: boolean;
  /** The process records nothing else, so every orphan it adopts belongs to this run. */
  exclusive: boolean;
  /** Set for the repair turn of a run, with the process that carries it out; null: the queue does. */
  repair?: { owner: ProcessIdentity | null } | undefined;
  /** This process carries out a repair turn that the attempt calls for, so the queue must not. Not stored. */
  repairsHere?: boolean;
}

/** The first attempt of a new run, recorded by its own process. */
export const FIRST_ATTEMPT: AttemptOrder = {
  run: null,
  session: null,
  text: null,
  interaction_id: null,
  announced: false,
  interactive: false,
  exclusive: true,
};
