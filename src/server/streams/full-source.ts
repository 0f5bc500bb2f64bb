import { fullLines } from '../../journal/index.ts';
import type { RecordFiles } from '../../record/index.ts';
import type { EventSource } from './event-source.ts';

/** The same events, with the whole text of output of which the record has the beginning only. */
export function fullSource(source: EventSource, files: RecordFiles): EventSource {
  return {
    ...source,
    read: (afterSeq, options) => fullLines(source.read(afterSeq, options), files),
    tail: (afterSeq, options) => fullLines(source.tail(afterSeq, options), files),
  };
}
