/** What a server may send at once without being asked, and how much of it comes back in a second. */
const LIMITS = {
  bytes: { burst: 64 * 1024 * 1024, perSecond: 1024 * 1024 },
  messages: { burst: 20_000, perSecond: 200 },
};

/** Notices when a server sends without end. Each request to it gives it the whole allowance again. */
export class FloodGuard {
  #bytes = LIMITS.bytes.burst;
  #messages = LIMITS.messages.burst;
  #at = performance.now();

  /** A request was sent: an answer may be long. */
  reset(): void {
    this.#bytes = LIMITS.bytes.burst;
    this.#messages = LIMITS.messages.burst;
    this.#at = performance.now();
  }

  /** False when it is too much. */
  take({ bytes = 0, messages = 0 }: { bytes?: number; messages?: number }): boolean {
    const now = performance.now();
    const seconds = (now - this.#at) / 1000;
    this.#at = now;
    this.#bytes = Math.min(LIMITS.bytes.burst, this.#bytes + seconds * LIMITS.bytes.perSecond) - bytes;
    this.#messages = Math.min(LIMITS.messages.burst, this.#messages + seconds * LIMITS.messages.perSecond) - messages;
    return this.#bytes >= 0 && this.#messages >= 0;
  }
}
