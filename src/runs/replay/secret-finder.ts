/** A value to find, with the name of its variable. */
export interface Secret {
  name: string;
  bytes: Buffer;
}

/** The position of a secret in a piece of bytes. */
export interface Place {
  from: number;
  to: number;
  name: string;
}

/**
 * Finds many values in one pass: a user's environment may have dozens, and separate searches would take longer than all
 * other work on the bytes. Only bytes that match the first two bytes of a value cost more.
 */
export class SecretFinder {
  readonly #byFirstByte: Secret[][] = Array.from({ length: 256 }, () => []);
  /** Whether a value begins with these two bytes. */
  readonly #pairs = new Uint8Array(65_536);
  readonly #longest: number;

  constructor(secrets: readonly Secret[]) {
    for (const secret of secrets) {
      const [first, second] = secret.bytes;
      this.#byFirstByte[first!]!.push(secret);
      if (second === undefined) this.#pairs.fill(1, first! << 8, (first! << 8) + 256);
      else this.#pairs[(first! << 8) | second] = 1;
    }
    this.#longest = Math.max(0, ...secrets.map(({ bytes }) => bytes.length));
  }

  /** The positions of all secrets, in order; overlapping or adjacent ones of the same secret are joined. */
  places(bytes: Buffer): Place[] {
    const places: Place[] = [];
    const last = new Map<Secret, Place>();
    for (let at = 0; at < bytes.length; at++) {
      if (!this.#mayBegin(bytes, at)) continue;
      for (const secret of this.#byFirstByte[bytes[at]!]!) {
        const to = at + secret.bytes.length;
        if (to > bytes.length || !agree(bytes, at, secret.bytes)) continue;
        const before = last.get(secret);
        if (before && at <= before.to) {
          before.to = to;
          continue;
        }
        const place = { from: at, to, name: secret.name };
        last.set(secret, place);
        places.push(place);
      }
    }
    return places.sort((one, other) => one.from - other.from || other.to - one.to);
  }

  /** Length of the longest suffix of `bytes` that is a proper prefix of a secret. */
  possibleStart(bytes: Buffer): number {
    for (let at = Math.max(0, bytes.length - this.#longest + 1); at < bytes.length; at++) {
      if (!this.#mayBegin(bytes, at)) continue;
      const length = bytes.length - at;
      const begins = (secret: Secret) => secret.bytes.length > length && agree(bytes, at, secret.bytes);
      if (this.#byFirstByte[bytes[at]!]!.some(begins)) return length;
    }
    return 0;
  }

  /** For the last byte, the second one is not known yet. */
  #mayBegin(bytes: Buffer, at: number): boolean {
    return at + 1 === bytes.length || this.#pairs[(bytes[at]! << 8) | bytes[at + 1]!] === 1;
  }
}

/** Whether `bytes` from `at` and the value match, up to the end of the shorter one. */
function agree(bytes: Buffer, at: number, value: Buffer): boolean {
  const length = Math.min(value.length, bytes.length - at);
  for (let index = 0; index < length; index++) if (bytes[at + index] !== value[index]) return false;
  return true;
}
