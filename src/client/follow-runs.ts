import type { RunChange } from '../protocol/index.ts';
import { parseJson } from './answer-error.ts';
import { answers } from './answers.ts';
import { framesOf, type ReconnectOptions, type StreamSource } from './reconnect.ts';
import { checked } from './transport.ts';

export interface FollowRunsOptions extends ReconnectOptions {
  /**
   * A connection is open: the first, or a new one after a loss. Changes during a loss are not sent later, so the list
   * has to be read again.
   */
  onOpened?: (() => void) | undefined;
}

/** Changes of the list of runs as they happen. */
export async function* followRuns(
  source: Omit<StreamSource, 'query'>,
  { onOpened, ...options }: FollowRunsOptions,
): AsyncGenerator<RunChange, void, undefined> {
  const place = source.path.join('/');
  for await (const frames of framesOf({ ...source, query: () => ({}) }, options)) {
    for (const { event, data } of frames) {
      if (options.signal?.aborted) return;
      if (event === 'stream.opened') onOpened?.();
      else if (event === 'run_changed') yield { run: checked(answers.run, parseJson(data), place) };
      else if (event === 'run_removed') yield { removed: checked(answers.removed, parseJson(data), place).run_id };
    }
  }
}
