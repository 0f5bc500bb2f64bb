import type { EventFormat } from '../../journal/index.ts';
import { AGENT_VERSION, type AgentDraft, type AgentEvent, TachoError } from '../../protocol/index.ts';
import { MAX_LINE_BYTES } from '../../record/file-pieces.ts';

/** Room for what the journal adds to the JSON of an event. */
const MAX_EVENT_BYTES = MAX_LINE_BYTES - 1024;

/** How the events of an agent are kept in a journal. */
export const AGENT_FORMAT: EventFormat<AgentDraft, AgentEvent> = {
  version: AGENT_VERSION,
  createWriter(run) {
    const head = `{"protocol_version":"${AGENT_VERSION}","run_id":${JSON.stringify(run)},"seq":`;
    return {
      json({ ts, type, data }, seq) {
        const before = `${head}${seq},"ts":"${ts}","type":"${type}","data":${JSON.stringify(data)}}`;
        if (before.length * 3 > MAX_EVENT_BYTES) refuseLong(before, type);
        return { before, printed: '', after: '' };
      },
      // One literal: a spread takes longer.
      event: ({ ts, type, data }, { run_id, seq, chain }) =>
        ({ protocol_version: AGENT_VERSION, run_id, seq, ts, type, data, chain }) as AgentEvent,
    };
  },
};

/** Readers take a longer line for damage. */
function refuseLong(json: string, type: string): void {
  const bytes = Buffer.byteLength(json);
  if (bytes <= MAX_EVENT_BYTES) return;
  throw new TachoError('RECORDING_FAILED', `a ${type} event has ${bytes} bytes, more than ${MAX_EVENT_BYTES}`, {
    facts: { type, bytes },
    fix: 'Keep long outputs as artifacts, and log their beginning.',
  });
}
