import { descriptorShortage } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { AttemptFacts } from './attempt-facts.ts';

/** The named steps of an attempt. The first failure is kept in the facts, and so in `meta.N.json`. */
export class AttemptSteps {
  readonly #facts: AttemptFacts;

  constructor(facts: AttemptFacts) {
    this.#facts = facts;
  }

  /** Null when the step failed. */
  async run<T>(name: string, work: () => T | Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      this.fail(name, asError(error));
      return null;
    }
  }

  fail(name: string, error: TachoError): void {
    if (this.#facts.error) return;
    this.#facts.error = error;
    this.#facts.failedStep = name;
  }
}

export function asError(cause: unknown): TachoError {
  if (cause instanceof TachoError) return cause;
  const shortage = descriptorShortage('command', cause);
  if (shortage) return shortage;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new TachoError('INTERNAL', `unexpected: ${message}`, { cause });
}
