import type { Journal } from '../../journal/index.ts';
import { createTranscript } from '../../record/index.ts';
import type { RunFolder } from '../../recording/index.ts';

/** The transcript of a run in Markdown, of one attempt or all; read at once, and written piece by piece. */
export async function readTranscript(folder: RunFolder, journal: Journal, attempt?: number): Promise<Iterable<string>> {
  const transcript = createTranscript({ run_id: folder.runId, attempt });
  for await (const events of journal.read(folder.runId)) {
    for (const event of events) transcript.push(event);
  }
  return transcript.pieces();
}
