import * as z from 'zod';
import type { RunFolder } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';
import type { AttemptOrder } from './attempt-order.ts';
import { privateNames, readPrivate, removePrivate, writePrivate } from './private-file.ts';

/** The next attempt; its request is stored next to it. */
const NAME = 'next';
const FORMAT = 'tacho-next/2';
/** Built only when there is a file to check. */
const pendingSchema = () =>
  z.strictObject({
    format: z.literal(FORMAT),
    order: z.strictObject({
      run: z.string().nullable(),
      session: z.string().nullable(),
      text: z.string().nullable(),
      interaction_id: z.string().nullable(),
      announced: z.boolean(),
      interactive: z.boolean(),
      exclusive: z.boolean(),
    }),
  });

export function writePendingAttempt(folder: RunFolder, order: AttemptOrder): void {
  writePrivate(folder, NAME, { format: FORMAT, order } satisfies z.infer<ReturnType<typeof pendingSchema>>);
}

/** Null without a pending attempt. */
export function readPendingAttempt(folder: RunFolder): AttemptOrder | null {
  return readPrivate(folder, NAME, pendingSchema)?.order ?? null;
}

/** Runs with a pending attempt, including leftovers of a crash. */
export function runsWithPendingAttempt(home: DataHome): string[] {
  return privateNames(home, NAME);
}

export function removePendingAttempt(folder: RunFolder): void {
  removePrivate(folder, NAME);
}
