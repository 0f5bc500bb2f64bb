/** What belongs to one attempt of a run and not to the request, which is the same for all of them. */
export interface AttemptOrder {
  /** An existing run, to which this adds an attempt; null makes a new run. */
  run: string | null;
  /** The engine session to continue; null starts a new one. */
  session: string | null;
  /** What is said to the engine; null: the prompt of the request. */
  text: string | null;
  /** The question that the text answers. */
  interaction_id: string | null;
  /** The events already say that the attempt is queued, and with which text. */
  announced: boolean;
  /** A person types: input is echoed. */
  interactive: boolean;
  /** The process records nothing else, so every orphan it adopts belongs to this run. */
  exclusive: boolean;
}

/** The first attempt of a new run, recorded by a process of its own. */
export const FIRST_ATTEMPT: AttemptOrder = {
  run: null,
  session: null,
  text: null,
  interaction_id: null,
  announced: false,
  interactive: false,
  exclusive: true,
};
