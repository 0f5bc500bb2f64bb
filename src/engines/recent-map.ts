/** No agent has this many calls or messages in progress at once; older ones will not be needed again. */
const MOST = 1024;

/** A map that forgets its oldest entries: an engine that never ends what it begins must not fill the memory. */
export class RecentMap<Key, Value> extends Map<Key, Value> {
  readonly #forgotten: ((value: Value) => void) | undefined;

  constructor(forgotten?: (value: Value) => void) {
    super();
    this.#forgotten = forgotten;
  }

  override set(key: Key, value: Value): this {
    super.set(key, value);
    if (this.size > MOST) {
      const [oldest, left] = this.entries().next().value as [Key, Value];
      this.delete(oldest);
      this.#forgotten?.(left);
    }
    return this;
  }
}
