import type { FcmpMessage, RaspEvent } from '../../../src/protocol/index.ts';
import type { RunModel } from '../../../src/record/index.ts';
import { type ByteSpan, rangesOf, type StreamName } from './raw-ranges.ts';

/** How bytes are used. `unclaimed` must not occur: every byte of a stream belongs to an event. */
export type ByteFate = 'structured' | 'raw' | 'echo' | 'unclaimed';

/** Adjacent bytes used in the same way, and the event that describes them most exactly. */
export interface Stretch extends ByteSpan {
  fate: ByteFate;
  seq: number | null;
}

interface Claim extends ByteSpan {
  seq: number;
  fate: 'structured' | 'raw' | 'echo';
  /** A warning about bytes has lower priority than the event made from them. */
  aside: boolean;
  /** Number of bytes of its event: fewer bytes describe them more exactly. */
  bytes: number;
}

interface Stream {
  claims: Claim[];
  /** The furthest end of the claims up to and including each. */
  reach: number[];
  sorted: boolean;
}

/** Which bytes became which events. It grows with the run. */
export class Coverage {
  readonly #streams = new Map<string, Stream>();
  #events = 0;
  #messages = 0;

  update({ events, messages }: RunModel): void {
    for (; this.#events < events.length; this.#events++) this.#addEvent(events[this.#events]!);
    for (; this.#messages < messages.length; this.#messages++) this.#addMessage(messages[this.#messages]!);
  }

  /** Whether events refer to this stream at all; input and copies of other streams have none. */
  has(name: StreamName): boolean {
    return this.#streams.has(keyOf(name));
  }

  /** Stretches that tile the span, in order. */
  stretches(name: StreamName, { from, to }: ByteSpan): Stretch[] {
    const stretches: Stretch[] = [];
    const claims = this.#claimsIn(name, { from, to });
    const edges = new Set([from, to]);
    for (const claim of claims) edges.add(Math.max(from, claim.from)).add(Math.min(to, claim.to));
    const sorted = [...edges].sort((one, other) => one - other);
    let next = 0;
    let open: Claim[] = [];
    for (let at = 0; at + 1 < sorted.length; at++) {
      const [start, end] = [sorted[at]!, sorted[at + 1]!];
      open = open.filter((claim) => claim.to > start);
      for (; next < claims.length && claims[next]!.from <= start; next++) {
        if (claims[next]!.to > start) open.push(claims[next]!);
      }
      addStretch(stretches, { from: start, to: end, ...fateOf(open) });
    }
    return stretches;
  }

  /** The event that describes a byte most exactly. */
  eventAt(name: StreamName, byte: number): number | null {
    return this.stretches(name, { from: byte, to: byte + 1 })[0]?.seq ?? null;
  }

  #claimsIn(name: StreamName, { from, to }: ByteSpan): Claim[] {
    const stream = this.#streams.get(keyOf(name));
    if (!stream) return [];
    if (!stream.sorted) sort(stream);
    const found: Claim[] = [];
    for (let at = firstBeyond(stream.reach, from); at < stream.claims.length; at++) {
      const claim = stream.claims[at]!;
      if (claim.from >= to) break;
      if (claim.to > from) found.push(claim);
    }
    return found;
  }

  #addEvent({ seq, raw_ref, event }: RaspEvent): void {
    const ranges = rangesOf(raw_ref);
    const bytes = ranges.reduce((sum, { byte_from, byte_to }) => sum + byte_to - byte_from, 0);
    const fate = event.category === 'raw' ? 'raw' : 'structured';
    const aside = event.category === 'diagnostic';
    for (const range of ranges) {
      const { byte_from: from, byte_to: to, stream, attempt_number: attempt } = range;
      this.#add({ stream, attempt }, { from, to, seq, fate, aside, bytes });
    }
  }

  /** Lines that repeat a message are only hidden in the conversation, which says which ones. */
  #addMessage({ type, data, raw_ref, meta }: FcmpMessage): void {
    if (type !== 'diagnostic.warning' || data.code !== 'RAW_DUPLICATE_SUPPRESSED') return;
    for (const { stream, attempt_number: attempt, byte_from: from, byte_to: to } of rangesOf(raw_ref)) {
      this.#add({ stream, attempt }, { from, to, seq: meta.rasp_seq, fate: 'echo', aside: false, bytes: to - from });
    }
  }

  #add(name: StreamName, claim: Claim): void {
    if (claim.to <= claim.from) return;
    const stream = this.#streams.get(keyOf(name)) ?? { claims: [], reach: [], sorted: true };
    this.#streams.set(keyOf(name), stream);
    const last = stream.claims.at(-1);
    if (last && claim.from < last.from) stream.sorted = false;
    stream.claims.push(claim);
    stream.reach.push(Math.max(stream.reach.at(-1) ?? 0, claim.to));
  }
}

function keyOf({ stream, attempt }: StreamName): string {
  return `${stream}.${attempt}`;
}

function sort(stream: Stream): void {
  stream.claims.sort((one, other) => one.from - other.from || one.seq - other.seq);
  let reach = 0;
  stream.reach = stream.claims.map(({ to }) => {
    reach = Math.max(reach, to);
    return reach;
  });
  stream.sorted = true;
}

/** The first index whose reach is after `byte`; reach never decreases. */
function firstBeyond(reach: readonly number[], byte: number): number {
  let low = 0;
  let high = reach.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (reach[middle]! > byte) high = middle;
    else low = middle + 1;
  }
  return low;
}

function fateOf(claims: readonly Claim[]): Pick<Stretch, 'fate' | 'seq'> {
  const best = claims.toSorted(
    (one, other) => Number(one.aside) - Number(other.aside) || one.bytes - other.bytes || one.seq - other.seq,
  )[0];
  if (!best) return { fate: 'unclaimed', seq: null };
  const direct = claims.filter(({ aside }) => !aside);
  if (direct.some(({ fate }) => fate === 'structured')) return { fate: 'structured', seq: best.seq };
  return { fate: direct.some(({ fate }) => fate === 'echo') ? 'echo' : best.fate, seq: best.seq };
}

function addStretch(stretches: Stretch[], stretch: Stretch): void {
  const last = stretches.at(-1);
  if (last && last.fate === stretch.fate && last.seq === stretch.seq) last.to = stretch.to;
  else stretches.push(stretch);
}
