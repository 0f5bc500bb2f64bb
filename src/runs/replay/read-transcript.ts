import type { Journal } from '../../journal/index.ts';
import { createTranscript } from '../../record/index.ts';
import { folderFiles, type RunFolder } from '../../recording/index.ts';

/** The transcript of a run in Markdown, of one attempt or all; read at once, and written piece by piece. */
export async function readTranscript(folder: RunFolder, journal: Journal, attempt?: number): Promise<Iterable<string>> {
  const transcript = createTranscript(folderFiles(folder), { attempt });
  for await (const events of journal.read(folder.runId)) await transcript.push(events);
  return transcript.pieces();
}
