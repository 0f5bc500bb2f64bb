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

/** How the daemon is reached; null when nobody says so. */
export function readServerFile({ serverFile }: RuntimeFolder): ServerFile | null {
  try {
    return serverFileSchema.parse(JSON.parse(readRegularFile(serverFile)));
  } catch (error) {
    // A daemon that cannot open its own file must not take it for gone.
    if (isOutOfDescriptors(error)) throw error;
    return null; // There is none, or it is none of ours.
  }
}

export function writeServerFile(folder: RuntimeFolder, content: ServerFile): void {
  writeWhole(folder.serverFile, `${JSON.stringify(content)}\n`);
}
