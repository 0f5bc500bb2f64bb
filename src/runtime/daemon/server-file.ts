import * as z from 'zod';
import { isOutOfDescriptors, readRegularFile, writeWhole } from '../../files/index.ts';
import type { RuntimeFolder } from './runtime-folder.ts';

const serverFileSchema = z.object({
  pid: z.int(),
  start_time: z.string(),
  secret: z.string(),
  socket_path: z.string(),
  created_at_ms: z.int(),
});
export type ServerFile = z.infer<typeof serverFileSchema>;

/** How to reach the daemon; null if there is no valid file. */
export function readServerFile({ serverFile }: RuntimeFolder): ServerFile | null {
  try {
    return serverFileSchema.parse(JSON.parse(readRegularFile(serverFile)));
  } catch (error) {
    // A daemon that runs out of descriptors must not conclude that its file is gone.
    if (isOutOfDescriptors(error)) throw error;
    return null; // Missing, or not valid.
  }
}

export function writeServerFile(folder: RuntimeFolder, content: ServerFile): void {
  writeWhole(folder.serverFile, `${JSON.stringify(content)}\n`);
}
