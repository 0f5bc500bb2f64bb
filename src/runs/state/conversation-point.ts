import path from 'node:path';
import * as z from 'zod';
import type { ConversationPoint } from '../../conversation/index.ts';
import { readRegularFile, writeWhole } from '../../files/index.ts';
import { CONVERSATION_POINT_FILE, runStatusSchema } from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';

const FORMAT = 'tacho-conversation-point/1';
const MAX_BYTES = 64 * 1024;
const countSchema = () => z.int().nonnegative();
/** Built only when there is a file to check. */
const pointSchema = () =>
  z.strictObject({
    format: z.literal(FORMAT),
    seq: z.int().positive(),
    chain: z.string(),
    bytes: countSchema(),
    point: z.strictObject({
      messages: countSchema(),
      attempt: countSchema(),
      over: z.boolean(),
      status: runStatusSchema.nullable(),
      started: z.boolean(),
      unknown: z.array(z.string()),
    }),
  });

/** From where the conversation on disk can go on. */
export interface KeptPoint {
  /** The last event that was folded. */
  seq: number;
  chain: string;
  /** How much of the file there was then. */
  bytes: number;
  point: ConversationPoint;
}

/** Null when there is none, or none that can be used: then everything is folded again. */
export function readConversationPoint({ audit }: RunFolder): KeptPoint | null {
  try {
    const { format: _, ...kept } = pointSchema().parse(
      JSON.parse(readRegularFile(path.join(audit, CONVERSATION_POINT_FILE), { maxBytes: MAX_BYTES })),
    );
    return kept;
  } catch {
    return null;
  }
}

/** One that cannot be written costs only time, later. */
export function writeConversationPoint({ audit }: RunFolder, kept: KeptPoint): void {
  try {
    const content = JSON.stringify({ format: FORMAT, ...kept });
    writeWhole(path.join(audit, CONVERSATION_POINT_FILE), `${content}\n`, { durable: false });
  } catch {
    // The one before it still says where it stood.
  }
}
