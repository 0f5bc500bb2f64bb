import * as z from 'zod';
import { type RunView, runViewSchema } from '../protocol/index.ts';
import { parseJson } from './answer-error.ts';
import { framesOf, type ReconnectOptions, type StreamSource } from './reconnect.ts';
import { checked } from './transport.ts';

export interface FollowRunsOptions extends ReconnectOptions {
  /**
   * A connection is there: the first one, or another after a loss. Changes are not kept for those who are away, so the
   * list has to be read again.
   */
  onOpened?: (() => void) | undefined;
}

/** A run as it is now, or the word that it was removed. */
export type RunChange = { run: RunView } | { removed: string };

const removedSchema = z.looseObject({ run_id: z.string() });

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
      else if (event === 'run_changed') yield { run: checked(runViewSchema, parseJson(data), place) };
      else if (event === 'run_removed') yield { removed: checked(removedSchema, parseJson(data), place).run_id };
    }
  }
}
