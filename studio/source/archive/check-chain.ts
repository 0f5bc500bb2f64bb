import { type FileLine, linesOf } from './blob-bytes.ts';
import { sha256, textBytes } from './sha256.ts';

/** `,"chain":"`, 64 hex digits, `"}`: how every line of the log ends. docs/integrity.md has the rule. */
const MEMBER = /^,"chain":"([0-9a-f]{64})"\}$/;
const MEMBER_BYTES = 76;
const CLOSING_BRACE = 0x7d;
/** Lines whose hashes are asked for together. */
const TOGETHER = 256;

export interface ChainedEvent {
  line: number;
  seq: number;
  attempt_number: number;
  chain: string;
  type: string;
  data: unknown;
}

export interface ChainBreak {
  kind: 'chain' | 'incomplete';
  line: number;
  byte: number;
  message: string;
}

/** Recomputes the chain through `events.jsonl` and hands on each event that holds; ends at the first that does not. */
export async function checkChain(
  blob: Blob,
  runId: string,
  onEvent: (event: ChainedEvent) => void,
): Promise<ChainBreak | null> {
  let previous = await sha256(textBytes(`tacho-chain/1 ${runId}`));
  let expected = 1;
  for await (const lines of linesOf(blob)) {
    for (let from = 0; from < lines.length; from += TOGETHER) {
      const together = lines.slice(from, from + TOGETHER);
      const stated = together.map(statedChain);
      // Each line says what it is chained to by the line before it, so none has to wait for another.
      const before = [previous, ...stated];
      const computed = await Promise.all(together.map((line, at) => chainOf(before[at] ?? '', line)));
      for (const [at, line] of together.entries()) {
        const chain = stated[at] ?? null;
        const event = line.complete ? readEvent(line, chain) : null;
        const wrong = faultOf(line, { event, chain, computed: computed[at]!, expected });
        if (wrong) return { ...wrong, line: line.line, byte: line.byteFrom };
        onEvent(event!);
        previous = chain!;
        expected++;
      }
    }
  }
  return null;
}

function statedChain({ bytes }: FileLine): string | null {
  const member = new TextDecoder('latin1').decode(bytes.subarray(Math.max(0, bytes.length - MEMBER_BYTES)));
  return MEMBER.exec(member)?.[1] ?? null;
}

function chainOf(previous: string, { bytes }: FileLine): Promise<string> {
  const body = bytes.subarray(0, Math.max(0, bytes.length - MEMBER_BYTES));
  const hashed = new Uint8Array(previous.length + body.length + 1);
  hashed.set(textBytes(previous));
  hashed.set(body, previous.length);
  hashed[hashed.length - 1] = CLOSING_BRACE;
  return sha256(hashed);
}

function readEvent({ line, bytes }: FileLine, chain: string | null): ChainedEvent | null {
  try {
    const { seq, attempt_number, event, data } = JSON.parse(new TextDecoder().decode(bytes));
    return { line, seq, attempt_number, chain: chain ?? '', type: event.type, data };
  } catch {
    return null;
  }
}

function faultOf(
  { line, complete }: FileLine,
  found: { event: ChainedEvent | null; chain: string | null; computed: string; expected: number },
): Pick<ChainBreak, 'kind' | 'message'> | null {
  const { event, chain, computed, expected } = found;
  if (!complete) return { kind: 'incomplete', message: `line ${line}: The log ends in the middle of a line.` };
  if (event === null) return { kind: 'chain', message: `line ${line}: The line is not an event.` };
  if (event.seq !== expected) {
    return { kind: 'chain', message: `line ${line}: Event ${event.seq} stands where event ${expected} should be.` };
  }
  if (chain === computed) return null;
  return {
    kind: 'chain',
    message: `line ${line}: Event ${expected}, or the order of the events before it, was changed.`,
  };
}
