import { JSONParser } from '@streamparser/json';

/** Reads the arguments of a tool call while they arrive: which members of the object are complete. */
export class EarlyArguments {
  readonly #parser = new JSONParser({ paths: ['$.*'], keepStack: false });
  /** Members that have ended. */
  readonly complete: Record<string, unknown> = {};
  #isNew = false;
  #failed = false;

  constructor() {
    this.#parser.onValue = ({ value, key, stack }) => {
      // Deeper values are parts of a member that is reported itself.
      if (typeof key !== 'string' || stack.length > 1) return;
      Object.defineProperty(this.complete, key, { value, enumerable: true, configurable: true, writable: true });
      this.#isNew = true;
    };
    // Arguments that are not JSON are rejected when they have ended.
    this.#parser.onError = () => {
      this.#failed = true;
    };
  }

  /** Whether another member has ended with this piece. */
  push(piece: string): boolean {
    if (this.#failed || piece === '') return false;
    this.#isNew = false;
    try {
      this.#parser.write(piece);
    } catch {
      this.#failed = true;
    }
    return this.#isNew;
  }
}
