import { EVENTS_FILE, type RaspEvent, rawStreamSchema, type Seal } from '../../protocol/index.ts';
import { applyEvent } from '../apply-event.ts';
import { type RecordFiles, withFile } from '../record-files.ts';
import { walkChain } from '../walk-chain.ts';
import { type Problem, problem, type WalkedLog } from './checking.ts';
import { DerivedFiles } from './derived-files.ts';
import { EventsIndex } from './events-index.ts';
import type { Checkpoint } from './locate-difference.ts';
import { References } from './references.ts';

interface Wanted {
  seals: ReadonlyMap<number, Seal>;
  /** The event after which the run's state is needed as well. */
  head: number;
  problems: Problem[];
}

/** Walks the event log once, and collects everything that the checks compare with. */
export async function walkLog(files: RecordFiles, { seals, head, problems }: Wanted): Promise<WalkedLog> {
  const wanted = new Set([head, ...[...seals.values()].map((seal) => seal.chain.seq)]);
  const derived = new DerivedFiles(files, seals.values());
  const index = await EventsIndex.open(files);
  const log: WalkedLog = {
    events: 0,
    checkpoints: [],
    chainAt: new Map(),
    lastSeq: new Map(),
    head: null,
    state: null,
    isFolded: false,
    derived: derived.hashes,
    references: new References(),
  };
  const decoder = new TextDecoder();
  await withFile(files, EVENTS_FILE, async (file) => {
    for await (const lines of walkChain(file, files)) {
      const events: RaspEvent[] = [];
      for (const { line, seq, byteFrom, byteTo, bytes, chain, problem: wrong } of lines) {
        if (wrong) {
          const kind = wrong.kind === 'torn' ? 'incomplete' : 'chain';
          problems.push({ kind, path: EVENTS_FILE, byte: byteFrom, line, message: `line ${line}: ${wrong.message}` });
          // After the first break every later value differs too; one position is enough.
          if (kind === 'chain') return;
          continue;
        }
        log.events++;
        if (seq !== null && chain !== null && wanted.has(seq)) log.chainAt.set(seq, chain);
        const event = readEvent(log, decoder.decode(bytes));
        if (event === null) {
          problems.push({
            kind: 'chain',
            path: EVENTS_FILE,
            byte: byteFrom,
            line,
            message: `line ${line}: not an event`,
          });
          return;
        }
        if (seq === head) log.head = log.state;
        log.references.take(event, { line, byte: byteFrom });
        events.push(event);
        index.take({ seq: seq!, byteTo, chain: chain!, ts: event.ts });
      }
      if (!(await isFoldable(derived, events))) {
        const message = `lines up to ${lines.at(-1)!.line}: an event has another form than its type`;
        problems.push(problem('chain', EVENTS_FILE, message));
        return;
      }
    }
    if (index.problem) problems.push(index.problem);
  });
  return log;
}

/** Null for a line that no recorder writes: who makes up a log can chain anything. */
function readEvent(log: WalkedLog, line: string): RaspEvent | null {
  try {
    const event = JSON.parse(line) as RaspEvent;
    noteEvent(log, event);
    log.state = applyEvent(log.state, event);
    return event;
  } catch {
    return null;
  }
}

/** False for events that no recorder writes. Files that cannot be read are no reason: their output is left out. */
async function isFoldable(derived: DerivedFiles, events: readonly RaspEvent[]): Promise<boolean> {
  return derived.take(events).then(
    () => true,
    () => false,
  );
}

/** The writer of a chained line may be a newer version of tacho: only known parts count. */
function noteEvent(log: WalkedLog, { attempt_number: attempt, seq, event, data }: Partial<RaspEvent>): void {
  if (typeof attempt !== 'number' || typeof seq !== 'number') return;
  log.lastSeq.set(attempt, seq);
  if (event?.type === 'lifecycle.run.requested') log.isFolded = true;
  if (event?.type !== 'lifecycle.recording.checkpoint') return;
  const { stream, bytes, sha256 } = (data ?? {}) as Partial<Checkpoint>;
  if (!rawStreamSchema.options.includes(stream!) || typeof bytes !== 'number' || typeof sha256 !== 'string') return;
  log.checkpoints.push({ attempt, stream: stream!, bytes, sha256 });
}
