import fs from 'node:fs';
import path from 'node:path';
import {
  CONVERSATION_FILE,
  FCMP_VERSION,
  type FcmpMessage,
  RUN_FORMAT,
  RUN_RECORD_FILE,
  type RunRecord,
} from '../../src/protocol/index.ts';
import { type RunFolder, runFolderAt, writeWhole } from '../../src/recording/index.ts';

export const FIRST_TIME = Date.parse('2026-11-15T08:00:00.000Z');

/** Run folders as recorders leave them, with the parts that an index reads. */
export class RecordedRuns {
  readonly root: string;
  readonly #salt: number;
  #made = 0;

  /** Processes that create runs in one home have different salts. */
  constructor(home: string, { salt = 0 } = {}) {
    this.root = path.join(home, 'runs');
    this.#salt = salt;
    fs.mkdirSync(this.root, { recursive: true });
  }

  /** A run with a record; each one a second newer than the previous one. */
  add(given: Partial<RunRecord> = {}, said: readonly string[] = []): RunRecord {
    const number = this.#made++;
    const created = new Date(FIRST_TIME + number * 1000).toISOString();
    const engine = given.engine ?? 'codex';
    const handle = given.handle ?? (number * 4099 + this.#salt * 65_536).toString(16).padStart(8, '0');
    const record: RunRecord = {
      format: RUN_FORMAT,
      run_id: `${created.slice(0, 19).replaceAll(/[-:]/g, '')}-${engine}-${handle}`,
      handle,
      engine,
      status: 'succeeded',
      attempt: 1,
      command: [engine, 'exec'],
      cwd: '/somewhere',
      workspace_root: '/somewhere',
      created_at: created,
      updated_at: created,
      live: null,
      last: null,
      ...given,
    };
    fs.mkdirSync(this.folder(record.run_id).audit, { recursive: true });
    this.write(record);
    this.say(record.run_id, ...said);
    return record;
  }

  write(record: RunRecord): RunRecord {
    const file = path.join(this.folder(record.run_id).path, RUN_RECORD_FILE);
    writeWhole(file, JSON.stringify(record), { replace: true, durable: false });
    return record;
  }

  /** Appends an assistant message to the conversation. */
  say(runId: string, ...texts: string[]): void {
    for (const text of texts) this.append(runId, 'assistant.message.final', { message_id: 'm', text, format: 'text' });
  }

  append(runId: string, type: FcmpMessage['type'], data: object, correlation: object = {}): void {
    const file = this.conversation(runId);
    const seq = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').length : 1;
    const message = {
      protocol_version: FCMP_VERSION,
      run_id: runId,
      seq,
      ts: new Date(FIRST_TIME).toISOString(),
      engine: 'codex',
      type,
      data,
      meta: { attempt: 1, confidence: 1, rasp_seq: seq },
      correlation,
      raw_ref: null,
    };
    fs.appendFileSync(file, `${JSON.stringify(message)}\n`);
  }

  remove(runId: string): void {
    fs.rmSync(this.folder(runId).path, { recursive: true });
  }

  folder(runId: string): RunFolder {
    return runFolderAt(path.join(this.root, runId));
  }

  conversation(runId: string): string {
    return path.join(this.folder(runId).audit, CONVERSATION_FILE);
  }
}
