import path from 'node:path';
import { ownIdentity } from '../../../src/files/index.ts';
import { createFileJournal, type Journal } from '../../../src/journal/index.ts';
import { type RaspDraft, RUN_FORMAT, type RunRecord, type RunStatus } from '../../../src/protocol/index.ts';
import { createRunFolder, handleOf, type RunFolder, writeRunRecord } from '../../../src/recording/index.ts';
import { RecordFile } from '../../../src/runs/state/record-file.ts';

export interface MadeRun {
  folder: RunFolder;
  /** `recorded: false` leaves the run record behind the events, as it briefly is. */
  append(drafts: readonly RaspDraft[], options?: { recorded?: boolean }): Promise<void>;
  /** Whether the ended run is sealed. */
  setSealed(sealed: boolean): void;
  setStatus(status: RunStatus): void;
}

/** A run written event by event, for states that a program cannot produce on demand. */
export async function makeRun(home: string, status: RunStatus = 'running'): Promise<MadeRun> {
  const folder = createRunFolder(path.join(home, 'runs'), 'text');
  const journal: Journal = createFileJournal({ locate: () => folder.audit, fsync: 'off' });
  const { epoch } = await journal.claim(folder.runId);
  let seq = 0;
  const record: RunRecord = {
    format: RUN_FORMAT,
    run_id: folder.runId,
    handle: handleOf(folder.runId),
    engine: 'text',
    status,
    attempt: 1,
    command: ['made', 'up'],
    cwd: folder.path,
    workspace_root: folder.path,
    created_at: new Date().toISOString(),
    updated_at: new Date().toISOString(),
    live: null,
    last: null,
  };
  writeRunRecord(folder, record);
  const file = RecordFile.begin(folder, { ...record });
  return {
    folder,
    async append(drafts, { recorded = true } = {}) {
      const result = await journal.append(folder.runId, epoch, seq, drafts);
      if (!result.ok) throw new Error(`could not append: ${result.reason}`);
      seq = result.lastSeq;
      if (recorded) file.apply(result.events);
    },
    setSealed(sealed) {
      const capture = { mode: 'split', reason: 'made up', level: 'full' } as const;
      const who = { supervisor: ownIdentity(), child: null, marker: '', started_at: null };
      file.setLive(sealed ? null : { ...who, capture, env_names: [], secret_names: [] });
    },
    setStatus: (next) => writeRunRecord(folder, { ...record, status: next }),
  };
}

export function rawDraft(text: string): RaspDraft {
  return {
    ...envelope('raw'),
    event: { category: 'raw', type: 'raw.stdout' },
    data: { text, lines: 1 },
  };
}

export function deltaDraft(text: string): RaspDraft {
  return {
    ...envelope('agent'),
    event: { category: 'agent', type: 'agent.message.delta' },
    data: { message_id: 'm', text },
  };
}

export function finalDraft(text: string): RaspDraft {
  return {
    ...envelope('agent'),
    event: { category: 'agent', type: 'agent.message.final' },
    data: { message_id: 'm', text },
  };
}

export function statusDraft(status: RunStatus): RaspDraft {
  return { ...envelope('tacho'), event: { category: 'lifecycle', type: 'lifecycle.run.status' }, data: { status } };
}

function envelope(parser: string) {
  return {
    ts: new Date().toISOString(),
    attempt_number: 1,
    source: { engine: 'text', parser, stream: null, confidence: 1 },
    correlation: {},
    raw_ref: null,
  };
}
