import * as z from 'zod';
import { isAlive } from '../../files/index.ts';
import { processIdentitySchema } from '../../protocol/index.ts';
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
      answers: z.record(z.string(), z.string()).optional(),
      interaction_id: z.string().nullable(),
      announced: z.boolean(),
      interactive: z.boolean(),
      exclusive: z.boolean(),
      repair: z.strictObject({ owner: processIdentitySchema.nullable() }).optional(),
    }),
  });

export function writePendingAttempt(folder: RunFolder, { repairsHere: _, ...order }: AttemptOrder): void {
  writePrivate(folder, NAME, { format: FORMAT, order } satisfies z.infer<ReturnType<typeof pendingSchema>>);
}

/** Null without a pending attempt. */
export function readPendingAttempt(folder: RunFolder): AttemptOrder | null {
  return readPrivate(folder, NAME, pendingSchema)?.order ?? null;
}

/** The repair turn that the run waits for, if any. */
export function pendingRepair(folder: RunFolder): AttemptOrder['repair'] {
  try {
    return readPendingAttempt(folder)?.repair;
  } catch {
    return undefined; // Damaged: it cannot be started.
  }
}

/** Whether the run waits for a repair turn that no live process is going to carry out by itself. */
export function isRepairForQueue(folder: RunFolder): boolean {
  const repair = pendingRepair(folder);
  return repair !== undefined && (repair.owner === null || !isAlive(repair.owner));
}

/** Runs with a pending attempt, including leftovers of a crash. */
export function runsWithPendingAttempt(home: DataHome): string[] {
  return privateNames(home, NAME);
}

export function removePendingAttempt(folder: RunFolder): void {
  removePrivate(folder, NAME);
}
