/** Aborts what a run is doing: for good, or only to continue with something else. */
export class StopSwitch {
  #current = new AbortController();
  #isFinal = false;

  get signal(): AbortSignal {
    return this.#current.signal;
  }

  stop(reason: string): void {
    this.#isFinal = true;
    this.#current.abort(new Error(reason));
  }

  interrupt(reason: string): void {
    this.#current.abort(new Error(reason));
  }

  /** After an interruption: what comes next is not aborted. */
  renew(): void {
    if (this.signal.aborted && !this.#isFinal) this.#current = new AbortController();
  }
}
