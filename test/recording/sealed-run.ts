import fs from 'node:fs';
import path from 'node:path';
import { createFileJournal } from '../../src/journal/index.ts';
import {
  attemptFileNames,
  CONVERSATION_FILE,
  type RaspDraft,
  RUN_FORMAT,
  type Seal,
} from '../../src/protocol/index.ts';
import { handleOf, loadSealKey, type RunFolder, sealAttempt, writeRunRecord } from '../../src/recording/index.ts';
import type { SealKey } from '../../src/recording/seal-key.ts';
import { record, START, type Step, startRecording, temporaryFolder } from './recording.ts';

export interface SealedRun {
  folder: RunFolder;
  key: SealKey;
  seal: Seal;
  at(name: keyof ReturnType<typeof attemptFileNames>): string;
}

const output = (kind: 'a' | 'b' | 'input', content: string): Step => ({
  kind,
  bytes: Buffer.from(content),
  wait: 1000,
});

/** A small finished attempt: two streams, input, events with checkpoints and `more`, and by default its seal. */
export async function sealedRun({
  sealed = true,
  more = [],
  conversation,
}: {
  sealed?: boolean;
  more?: readonly RaspDraft[];
  conversation?: string;
} = {}): Promise<SealedRun> {
  const root = temporaryFolder();
  const recording = startRecording({}, root);
  const { recorder, folder } = recording;
  const drafts: RaspDraft[] = [];
  for (let round = 0; round < 3; round++) {
    record(recording, [
      output('a', `out ${round}\n`),
      output('b', `err ${round}\n`),
      output('input', `in ${round}\n`),
      output('a', 'more\n'),
    ]);
    drafts.push(...recorder.checkpoint().map((checkpoint) => draft('lifecycle.recording.checkpoint', checkpoint)));
  }
  recorder.close();
  writeRecord(folder);
  if (conversation !== undefined) fs.writeFileSync(path.join(folder.audit, CONVERSATION_FILE), conversation);
  const journal = createFileJournal({ locate: () => folder.audit, fsync: 'off' });
  const { epoch } = await journal.claim(folder.runId);
  const kept = await journal.append(folder.runId, epoch, 0, [...drafts, ...more]);
  if (!kept.ok) throw new Error(kept.reason);
  await journal.release(folder.runId, epoch);
  const key = loadSealKey(path.join(root, 'keys'));
  const chain = { seq: kept.lastSeq, head: kept.events.at(-1)!.chain };
  const seal = sealed ? sealAttempt({ folder, attempt: 1, key, chain, diff: null }) : (null as unknown as Seal);
  return { folder, key, seal, at: (name) => path.join(folder.audit, attemptFileNames(1)[name]) };
}

function writeRecord(folder: RunFolder): void {
  const at = new Date(START).toISOString();
  writeRunRecord(folder, {
    format: RUN_FORMAT,
    run_id: folder.runId,
    handle: handleOf(folder.runId),
    engine: 'text',
    status: 'succeeded',
    attempt: 1,
    command: ['true'],
    cwd: folder.path,
    workspace_root: folder.path,
    created_at: at,
    updated_at: at,
    live: null,
    last: null,
  });
}

function draft(type: string, data: unknown): RaspDraft {
  return {
    ts: new Date(START).toISOString(),
    attempt_number: 1,
    source: { engine: 'text', parser: 'tacho', stream: null, confidence: 1 },
    event: { category: type.slice(0, type.indexOf('.')), type },
    data,
    correlation: {},
    raw_ref: null,
  } as unknown as RaspDraft;
}
