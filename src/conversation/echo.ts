import { DIAGNOSTIC_CODES, textPreview } from '../protocol/index.ts';
import { createEchoRun, type EchoOutput } from './echo-run.ts';
import type { Emit } from './emitter.ts';
import { createFinalLines } from './final-lines.ts';
import { createQueue } from './queue.ts';
import { bytesBetween, hasExactBytes, type RawBlock, type RawEvent, rawBlock, type Segment } from './raw-block.ts';

/**
 * Keeps raw lines that repeat a final out of the conversation. An echo may come before its final, so raw output is held
 * until the next final, until it is too much, or until the attempt ends. It leaves in the order in which it came. Other
 * messages do not wait for it: every message names its event, its time and its bytes, so a reader can find where raw
 * output belongs, while an answer that waited for it would come late for everybody.
 */
export interface EchoFilter {
  /** A new attempt: its raw output is compared with its own finals. */
  startAttempt(): void;
  /** `whole`: the text of an event that shows the beginning only. */
  hold(event: RawEvent, whole?: string): void;
  addFinal(text: string): void;
  /** Decides what is held so far. */
  release(): void;
  /** Nothing is held any more; output of this attempt that comes yet goes through at once. */
  endAttempt(): void;
}

const MAX_HELD_BYTES = 64 * 1024;
/** An event takes far more memory than an empty line. */
const MAX_HELD_BLOCKS = 4096;

export function createEchoFilter(emit: Emit): EchoFilter {
  const finals = createFinalLines();
  const held = createQueue<RawBlock>();
  let heldBytes = 0;
  let ended = false;
  const output: EchoOutput = {
    keep: (segment) => emitRaw(emit, segment),
    leaveOut({ first, last, lines }) {
      const code = 'RAW_DUPLICATE_SUPPRESSED';
      const data = { code, message: DIAGNOSTIC_CODES[code], severity: 'info', suppressed_count: lines };
      const raw_ref = bytesBetween({ block: first.block, at: first.from }, { block: last.block, at: last.to });
      emit('diagnostic.warning', data, first.block.event, { raw_ref });
    },
  };
  const runs = {
    'raw.stdout': createEchoRun(finals, output),
    'raw.stderr': createEchoRun(finals, output),
    'raw.pty': createEchoRun(finals, output),
  };

  function releaseOldest(): void {
    const block = held.shift()!;
    heldBytes -= block.bytes;
    runs[block.event.event.type].take(block);
  }

  function release(): void {
    while (held.length > 0) releaseOldest();
  }

  function endAttempt(): void {
    release();
    for (const run of Object.values(runs)) run.close();
    ended = true;
  }

  return {
    release,
    endAttempt,
    startAttempt() {
      endAttempt();
      finals.clear();
      ended = false;
    },
    hold(event, whole) {
      const block = rawBlock(event, whole);
      held.push(block);
      heldBytes += block.bytes;
      while (heldBytes > MAX_HELD_BYTES || held.length > MAX_HELD_BLOCKS) releaseOldest();
      // A plain command says nothing that its output could repeat.
      if (ended || event.source.parser === 'text') endAttempt();
    },
    addFinal(text) {
      finals.add(text);
      release();
      // Only now: what is held may repeat a final that the new one displaces.
      finals.forgetOld();
    },
  };
}

/** Of output that its event cuts off, a message shows the beginning as well. */
function emitRaw(emit: Emit, { block, from, to, lines }: Segment): void {
  const { event, text } = block;
  const { truncated, masked } = event.data;
  const type = event.event.type === 'raw.stderr' ? 'raw.stderr' : 'raw.stdout';
  if (from === 0 && to === text.length) {
    const cut = truncated ? { truncated, ...(masked ? { masked } : {}) } : {};
    emit(type, { text: truncated ? event.data.text : text, lines: event.data.lines, ...cut }, event);
    return;
  }
  const raw_ref = bytesBetween({ block, at: from }, { block, at: to });
  const part = text.slice(from, to);
  // How many bytes of a part were masked is not known, and without it nobody could read them again.
  const shown = truncated && !masked && hasExactBytes(block) ? textPreview(part) : { text: part };
  emit(type, { ...shown, lines }, event, { raw_ref });
}
