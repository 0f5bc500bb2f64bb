import type { AgentData, AgentDraft, AgentEvent } from '../../protocol/index.ts';
import { type Clock, systemClock } from '../clock.ts';
import { Emitter } from '../loop/emitter.ts';
import type { Secret } from '../options.ts';
import { exactData } from '../run/fold-log.ts';
import { newState } from '../state/state.ts';
import { createRedactor, openWal, type Redactor, type Wal } from '../wal/index.ts';
import type { DataEdit } from './edit-event.ts';

export interface ForkLogRequest {
  events: readonly AgentEvent[];
  /** Changes the last of them. */
  edit: DataEdit | null;
  send: string | undefined;
  /** Its `.tacho/runs/<runId>` has the vault of the other run, and no log yet. */
  workspaceRoot: string;
  runId: string;
  secrets: readonly Secret[];
  clock: Clock | undefined;
  forked: AgentData<'run_forked'>;
}

/** Events at once; each append is one write. */
const BATCH = 500;

/** Writes the log of a fork: the same events under another id, so with another chain; then what is new about it. */
export async function writeForkLog(request: ForkLogRequest): Promise<void> {
  const { events, edit, send, workspaceRoot, runId, secrets, clock = systemClock, forked } = request;
  const wal = await openWal({ workspaceRoot, runId, create: false });
  try {
    const redactor = createRedactor(secrets);
    const forkedFrom = { run_id: forked.run_id, seq: forked.seq, wal_locator: forked.wal_locator };
    let drafts: AgentDraft[] = [];
    for (const [index, event] of events.entries()) {
      let draft = { ts: event.ts, type: event.type, data: event.data } as AgentDraft;
      const from = (data: AgentData) => ({ ...(data as AgentData<'run_started'>), forked_from: forkedFrom });
      if (event.type === 'run_started') draft = edited(event, from, wal, null);
      if (edit && index === events.length - 1) draft = edited(event, edit, wal, redactor);
      drafts.push(draft);
      if (drafts.length < BATCH) continue;
      await wal.append(drafts);
      drafts = [];
    }
    await wal.append(drafts);
    await appendNew(wal, { send, forked, redactor, clock });
  } finally {
    await wal.close();
  }
}

function edited(event: AgentEvent, edit: DataEdit, wal: Wal, redactor: Redactor | null): AgentDraft {
  const { exact: key, ...logged } = event.data as AgentData & { exact?: string };
  const exact = edit(exactData(event, wal.vault));
  const changed = edit(logged as AgentData);
  const shown = redactor && !redactor.isEmpty ? redactor.maskJson(changed) : changed;
  const isSame = key === undefined && shown === changed;
  const data = isSame ? shown : { ...shown, exact: wal.vault.putJson(exact) };
  return { ts: event.ts, type: event.type, data } as AgentDraft;
}

async function appendNew(
  wal: Wal,
  { send, forked, redactor, clock }: Pick<ForkLogRequest, 'send' | 'forked'> & { redactor: Redactor; clock: Clock },
): Promise<void> {
  const emitter = new Emitter({
    // The run itself is not carried on here.
    state: newState(wal.runId),
    clock,
    mask: redactor,
    sink: {
      append: (drafts, how) => wal.append(drafts, how),
      keep: (value) => wal.vault.putJson(value),
      collects: false,
    },
  });
  emitter.emit('run_forked', forked);
  if (send !== undefined) emitter.emit('user_message', { text: send, origin: 'send', when: 'now' });
  await emitter.flush({ durable: true });
}
