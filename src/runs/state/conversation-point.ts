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

/** The point from which the conversation on disk can continue. */
export interface KeptPoint {
  /** The last folded event. */
  seq: number;
  chain: string;
  /** Size of the file at that point. */
  bytes: number;
  point: ConversationPoint;
}

/** Null without a usable point: then everything is folded again. */
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

/** A failed write only costs time later. */
export function writeConversationPoint({ audit }: RunFolder, kept: KeptPoint): void {
  try {
    const content = JSON.stringify({ format: FORMAT, ...kept });
    writeWhole(path.join(audit, CONVERSATION_POINT_FILE), `${content}\n`, { durable: false });
  } catch {
    // The previous point is still valid.
  }
}
