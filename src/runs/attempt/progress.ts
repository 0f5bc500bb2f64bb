import type { RaspDraft } from '../../protocol/index.ts';

/** When an attempt last made progress. A retry is none, and neither is what leads only to the next retry. */
export interface Progress {
  /** Microseconds, like the times of recorded bytes. */
  readonly last: number;
  /** Bytes were read at this time, and these events came of them. Without a time: of bytes that were read before. */
  note(drafts: readonly RaspDraft[], time?: number): void;
}

export function createProgress(start: number): Progress {
  let last = start;
  let lastBytes = start;
  /** Progress before the first of the retries in a row; null while the engine works. */
  let beforeRetries: number | null = null;

  return {
    get last() {
      return last;
    },
    note(drafts, time) {
      lastBytes = time ?? lastBytes;
      if (drafts.some(isWork)) beforeRetries = null;
      else if (drafts.some(isRetry)) {
        // Since the retry before, the engine has only prepared this one.
        beforeRetries ??= last;
        last = beforeRetries;
        return;
      } else if (beforeRetries !== null && drafts.every(isText)) {
        // It may belong to the retry, such as a stack trace.
        return;
      }
      last = lastBytes;
    },
  };
}

export function isRetry({ event, data }: RaspDraft): boolean {
  return event.type === 'diagnostic.engine.error' && (data as { code: string }).code === 'ENGINE_RETRY';
}

/** Output that is not an event of the engine's. */
function isText({ event: { category } }: RaspDraft): boolean {
  return category === 'raw';
}

/** Something said or done, or another error: the engine continues after it. */
function isWork(draft: RaspDraft): boolean {
  const { category, type } = draft.event;
  return category === 'agent' || category === 'tool' || (type === 'diagnostic.engine.error' && !isRetry(draft));
}
