/** Bytes, or the UTF-16 units of a text. */
export type Units = Uint8Array | Uint16Array;

/** A value to find, with the name of its variable. */
export interface Secret {
  name: string;
  units: Units;
}

/** The position of a secret. */
export interface Place {
  from: number;
  to: number;
  name: string;
}

const ROOT = 0;

/**
 * Finds many values in one pass, by the automaton of Aho and Corasick: a user's environment may have dozens, in many
 * spellings each, and separate searches would take longer than all other work on the text. The time depends on the text
 * alone. All values, and all that is searched, have to be of one kind of units.
 */
export class SecretFinder {
  readonly #secrets: readonly Secret[];
  /** Whether a value begins with these two units, or with two of the same hash. */
  readonly #pairs = new Uint8Array(65_536);
  readonly #longest: number;
  /** States of the automaton are prefixes of values; the children of one are a list over its siblings. */
  #unit: Int32Array;
  #depth: Int32Array;
  #child: Int32Array;
  #sibling: Int32Array;
  /** The longest proper suffix that is a prefix of a value. */
  #suffix: Int32Array;
  /** Number of the value that ends here, plus one. */
  #value: Int32Array;
  /** The next suffix with which a value ends; the root if there is none. */
  #shorter: Int32Array;
  #states = 1;

  /** Empty values are never found. */
  constructor(secrets: readonly Secret[]) {
    this.#secrets = secrets;
    this.#longest = secrets.reduce((longest, { units }) => Math.max(longest, units.length), 0);
    const size = 1 + secrets.reduce((sum, { units }) => sum + units.length, 0);
    this.#unit = new Int32Array(size);
    this.#depth = new Int32Array(size);
    this.#child = new Int32Array(size);
    this.#sibling = new Int32Array(size);
    this.#value = new Int32Array(size);
    for (let index = 0; index < secrets.length; index++) this.#add(secrets[index]!.units, index);
    // Values share prefixes, so most of the room may be unused.
    this.#unit = this.#unit.slice(0, this.#states);
    this.#depth = this.#depth.slice(0, this.#states);
    this.#child = this.#child.slice(0, this.#states);
    this.#sibling = this.#sibling.slice(0, this.#states);
    this.#value = this.#value.slice(0, this.#states);
    this.#suffix = new Int32Array(this.#states);
    this.#shorter = new Int32Array(this.#states);
    this.#link();
  }

  /** The positions of all secrets, in order; overlapping or adjacent ones of the same secret are joined. */
  places(units: Units): Place[] {
    const places: Place[] = [];
    const last = new Map<Secret, Place>();
    this.eachMatch(units, (secret, from) => {
      const to = from + secret.units.length;
      const before = last.get(secret);
      if (before && from <= before.to) {
        before.to = to;
        return;
      }
      const place = { from, to, name: secret.name };
      last.set(secret, place);
      places.push(place);
    });
    return places.sort(byPosition);
  }

  /** Every single occurrence, in the order of their ends. */
  eachMatch(units: Units, found: (secret: Secret, from: number) => void): void {
    let state = ROOT;
    for (let at = 0; at < units.length; at++) {
      if (state === ROOT && !this.#mayBegin(units, at)) continue;
      state = this.#next(state, units[at]!);
      for (
        let end = this.#value[state] === 0 ? this.#shorter[state]! : state;
        end !== ROOT;
        end = this.#shorter[end]!
      ) {
        const secret = this.#secrets[this.#value[end]! - 1]!;
        found(secret, at + 1 - secret.units.length);
      }
    }
  }

  /** Length of the longest suffix of `units` that is a proper prefix of a secret. */
  possibleStart(units: Units): number {
    let state = ROOT;
    for (let at = Math.max(0, units.length - this.#longest + 1); at < units.length; at++) {
      if (state === ROOT && !this.#mayBegin(units, at)) continue;
      state = this.#next(state, units[at]!);
    }
    // A value that continues no other is not a proper prefix.
    while (state !== ROOT && this.#child[state] === 0) state = this.#suffix[state]!;
    return this.#depth[state]!;
  }

  /** For the last unit, the second one is not known yet. */
  #mayBegin(units: Units, at: number): boolean {
    return at + 1 === units.length || this.#pairs[pairHash(units[at]!, units[at + 1]!)] === 1;
  }

  #next(from: number, unit: number): number {
    for (let state = from; ; state = this.#suffix[state]!) {
      const child = this.#childOf(state, unit);
      if (child !== 0 || state === ROOT) return child;
    }
  }

  /** The root, which is nobody's child, if there is none. */
  #childOf(state: number, unit: number): number {
    let child = this.#child[state]!;
    while (child !== 0 && this.#unit[child] !== unit) child = this.#sibling[child]!;
    return child;
  }

  #add(units: Units, index: number): void {
    if (units.length === 0) return;
    const [first, second] = units as unknown as [number, number?];
    if (second !== undefined) this.#pairs[pairHash(first, second)] = 1;
    else if (units instanceof Uint8Array) this.#pairs.fill(1, first << 8, (first << 8) + 256);
    else this.#pairs.fill(1);
    let state = ROOT;
    for (const unit of units) {
      let child = this.#childOf(state, unit);
      if (child === 0) {
        child = this.#states++;
        this.#unit[child] = unit;
        this.#depth[child] = this.#depth[state]! + 1;
        this.#sibling[child] = this.#child[state]!;
        this.#child[state] = child;
      }
      state = child;
    }
    // Of equal values, the first one counts.
    if (this.#value[state] === 0) this.#value[state] = index + 1;
  }

  /** Breadth first, so that the suffixes of a state are linked before it. */
  #link(): void {
    const queue = [ROOT];
    for (let at = 0; at < queue.length; at++) {
      const state = queue[at]!;
      for (let child = this.#child[state]!; child !== 0; child = this.#sibling[child]!) {
        const suffix = state === ROOT ? ROOT : this.#next(this.#suffix[state]!, this.#unit[child]!);
        this.#suffix[child] = suffix;
        this.#shorter[child] = this.#value[suffix] === 0 ? this.#shorter[suffix]! : suffix;
        queue.push(child);
      }
    }
  }
}

/** Of those that begin together, the longest first. */
export function byPosition(one: Place, other: Place): number {
  return one.from - other.from || other.to - one.to;
}

/** Exact for bytes and for most texts. */
function pairHash(first: number, second: number): number {
  return ((first << 8) ^ second) & 0xffff;
}
