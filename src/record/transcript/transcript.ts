import { createConversation } from '../../conversation/index.ts';
import { asUnderstood, isEvent, type RaspEvent, type RunState } from '../../protocol/index.ts';
import { applyEvent } from '../apply-event.ts';
import { foldBatch } from '../output/fold-batch.ts';
import { withWholeTexts } from '../output/whole-texts.ts';
import type { RecordFiles } from '../record-files.ts';
import { createTranscriptBody } from './body.ts';
import { transcriptHeader } from './header.ts';

/** A run as readable Markdown. Its size is limited: long texts are cut, with a note. */
export interface Transcript {
  /** Takes the run's next events. */
  push(events: readonly RaspEvent[]): Promise<void>;
  /** The transcript of all events so far, in blocks that are each quick to write. */
  pieces(): Generator<string>;
}

/** With `attempt`, only that attempt. */
export function createTranscript(files: RecordFiles, { attempt }: { attempt?: number | undefined } = {}): Transcript {
  const fold = createConversation({ run_id: files.runId });
  const body = createTranscriptBody();
  let state: RunState | null = null;
  let model: string | null = null;

  function note(next: RaspEvent): void {
    const event = asUnderstood(next);
    state = applyEvent(state, event);
    if (isEvent(event, 'lifecycle.run.status')) model = event.data.model ?? model;
    if (attempt === undefined || event.attempt_number === attempt) body.note(event);
  }

  return {
    async push(events) {
      for (const event of events) note(event);
      const messages = await foldBatch(fold, events, files);
      const wanted = messages.filter(({ meta }) => attempt === undefined || meta.attempt === attempt);
      for await (const part of withWholeTexts(files, wanted)) for (const message of part) body.add(message);
    },
    *pieces() {
      let before = '';
      if (state !== null) {
        yield transcriptHeader(state, model);
        before = '\n\n';
      }
      for (const block of body.blocks(state?.created_at)) {
        yield before + block;
        before = '\n\n';
      }
      yield '\n';
    },
  };
}
