import { createConversation } from '../../conversation/index.ts';
import { asUnderstood, isEvent, type RaspEvent, type RunState } from '../../protocol/index.ts';
import { applyEvent } from '../apply-event.ts';
import { createTranscriptBody } from './body.ts';
import { transcriptHeader } from './header.ts';

/** A run as readable Markdown. Its size is limited: long texts are cut, with a note. */
export interface Transcript {
  /** Takes the run's next event. */
  push(event: RaspEvent): void;
  /** The transcript of all events so far, in blocks that are each quick to write. */
  pieces(): Generator<string>;
}

/** With `attempt`, only that attempt. */
export function createTranscript({ run_id, attempt }: { run_id: string; attempt?: number | undefined }): Transcript {
  const fold = createConversation({ run_id });
  const body = createTranscriptBody();
  let state: RunState | null = null;
  let model: string | null = null;

  return {
    push(next) {
      const event = asUnderstood(next);
      state = applyEvent(state, event);
      if (isEvent(event, 'lifecycle.run.status')) model = event.data.model ?? model;
      if (attempt === undefined || event.attempt_number === attempt) body.note(event);
      for (const message of fold.push(next)) {
        if (attempt === undefined || message.meta.attempt === attempt) body.add(message);
      }
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
