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
  /** States of the automaton are prefixes of values. The last unit of each, and the state without it. */
  readonly #unit: Int32Array;
  readonly #parent: Int32Array;
  readonly #depth: Int32Array;
  readonly #hasChild: Uint8Array;
  /** Number of the value that ends here, plus one. */
  readonly #value: Int32Array;
  /** The longest proper suffix that is a prefix of a value. */
  readonly #suffix: Int32Array;
  /** The next suffix with which a value ends; the root if there is none. */
  readonly #shorter: Int32Array;
  /** A hash table from a state and a unit to the child; at most half of it is used. */
  readonly #children: Int32Array;
  readonly #mask: number;
  #states = 1;

  /** Empty values are never found. */
  constructor(secrets: readonly Secret[]) {
    this.#secrets = secrets;
    this.#longest = secrets.reduce((longest, { units }) => Math.max(longest, units.length), 0);
    const size = statesOf(secrets);
    this.#unit = new Int32Array(size);
    this.#parent = new Int32Array(size);
    this.#depth = new Int32Array(size);
    this.#hasChild = new Uint8Array(size);
    this.#value = new Int32Array(size);
    this.#suffix = new Int32Array(size);
    this.#shorter = new Int32Array(size);
    this.#mask = 2 ** Math.ceil(Math.log2(size * 2)) - 1;
    this.#children = new Int32Array(this.#mask + 1);
    for (let index = 0; index < secrets.length; index++) this.#add(secrets[index]!.units, index);
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
    while (state !== ROOT && this.#hasChild[state] === 0) state = this.#suffix[state]!;
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
    return this.#children[this.#slotOf(state, unit)]!;
  }

  /** Where the child is, or would be. */
  #slotOf(state: number, unit: number): number {
    for (let slot = hashOf(state, unit) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const child = this.#children[slot]!;
      if (child === 0 || (this.#parent[child] === state && this.#unit[child] === unit)) return slot;
    }
  }

  #add(units: Units, index: number): void {
    if (units.length === 0) return;
    const [first, second] = units as unknown as [number, number?];
    if (second !== undefined) this.#pairs[pairHash(first, second)] = 1;
    else if (units instanceof Uint8Array) this.#pairs.fill(1, first << 8, (first << 8) + 256);
    else this.#pairs.fill(1);
    let state = ROOT;
    for (const unit of units) {
      const slot = this.#slotOf(state, unit);
      let child = this.#children[slot]!;
      if (child === 0) {
        child = this.#states++;
        this.#children[slot] = child;
        this.#unit[child] = unit;
        this.#parent[child] = state;
        this.#depth[child] = this.#depth[state]! + 1;
        this.#hasChild[state] = 1;
      }
      state = child;
    }
    // Of equal values, the first one counts.
    if (this.#value[state] === 0) this.#value[state] = index + 1;
  }

  /** Shorter prefixes first: the suffixes of a state have to be linked before it. */
  #link(): void {
    const order = Int32Array.from({ length: this.#states - 1 }, (_, at) => at + 1);
    order.sort((one, other) => this.#depth[one]! - this.#depth[other]!);
    for (const state of order) {
      const parent = this.#parent[state]!;
      const suffix = parent === ROOT ? ROOT : this.#next(this.#suffix[parent]!, this.#unit[state]!);
      this.#suffix[state] = suffix;
      this.#shorter[state] = this.#value[suffix] === 0 ? this.#shorter[suffix]! : suffix;
    }
  }
}

/** How many prefixes the values have, each counted once however many share it, and the root. */
function statesOf(secrets: readonly Secret[]): number {
  const sorted = secrets.map(({ units }) => units).sort(compare);
  return sorted.reduce((sum, units, at) => sum + units.length - commonLength(units, sorted[at - 1]), 1);
}

function compare(one: Units, other: Units): number {
  const at = commonLength(one, other);
  return (one[at] ?? -1) - (other[at] ?? -1);
}

function commonLength(one: Units, other: Units | undefined): number {
  let at = 0;
  while (at < one.length && other !== undefined && at < other.length && one[at] === other[at]) at++;
  return at;
}

function hashOf(state: number, unit: number): number {
  const mixed = Math.imul(state, 0x9e3779b1) ^ Math.imul(unit, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}

/** Of those that begin together, the longest first. */
export function byPosition(one: Place, other: Place): number {
  return one.from - other.from || other.to - one.to;
}

/** Exact for bytes and for most texts. */
function pairHash(first: number, second: number): number {
  return ((first << 8) ^ second) & 0xffff;
}
