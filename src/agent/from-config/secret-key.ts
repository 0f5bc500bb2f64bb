const SHOWN = '‹set›';

/** The value of a variable that holds a key or a token. It is not printed, logged or serialized by accident. */
export class SecretKey {
  /** Name of the variable. */
  readonly name: string;
  /** Where the value is from: the environment, or a line of a trusted `.env`. */
  readonly source: string;
  readonly #value: string;

  constructor(name: string, value: string, source: string) {
    this.name = name;
    this.source = source;
    this.#value = value;
  }

  /** For the one who sends it, and for those who remove it from logs. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return `${this.name}=${SHOWN}`;
  }

  toJSON(): { name: string; source: string; value: string } {
    return { name: this.name, source: this.source, value: SHOWN };
  }
}
