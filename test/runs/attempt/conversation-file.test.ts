import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldConversation } from '../../../src/conversation/index.ts';
import { createFileJournal, type Journal } from '../../../src/journal/index.ts';
import {
  CONVERSATION_FILE,
  CONVERSATION_POINT_FILE,
  type FcmpMessage,
  type RaspDraft,
  type RaspEvent,
} from '../../../src/protocol/index.ts';
import { createRunFolder, type RunFolder } from '../../../src/recording/index.ts';
import { ConversationFile } from '../../../src/runs/attempt/conversation-file.ts';
import { RecordedRun } from '../../conversation/recorded-run.ts';
import { proofSize } from '../../support/proof-size.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/tacho.ts';

/** A run with two attempts, and raw lines that are held back until a message tells whether they are its echo. */
const TOLD = new RecordedRun()
  .status('queued')
  .event('interaction.reply.accepted', { interaction_id: '1.prompt', text: 'Grüße, bitte', source: 'prompt' })
  .status('running')
  .phase('init', { session_id: 's' })
  .raw('one\ntwo\nthree\n')
  .final('one\ntwo\nthree')
  .raw('something else\n', 'stderr')
  .event('tool.call.started', { call_id: 'c', name: 'shell', arguments: { command: 'ls' } })
  .event('tool.call.completed', { call_id: 'c', name: 'shell', result: '', exit_code: 0 })
  .final('Which colour? 🦀')
  .status('waiting_user', { reason_code: 'WAITING_FOR_USER' })
  .nextAttempt()
  .status('queued')
  .event('interaction.reply.accepted', { interaction_id: '1.1', text: 'Blue.', source: 'reply' })
  .status('running')
  .final('Done.')
  .status('succeeded', { reason_code: 'DONE_MARKER' }).events;

interface Run {
  folder: RunFolder;
  journal: Journal;
  file: string;
  /** Events as the journal keeps them. */
  keep(count: number): Promise<RaspEvent[]>;
}

/** A run whose journal is claimed and empty; the conversation may be kept on another disk than the journal. */
async function startRun(disk = temporaryFolder(), told: readonly RaspEvent[] = TOLD): Promise<Run> {
  const folder = createRunFolder(path.join(disk, 'runs'), 'gemini');
  const events = temporaryFolder();
  const journal = createFileJournal({ locate: () => events, fsync: 'off' });
  const { epoch } = await journal.claim(folder.runId);
  let kept = 0;
  return {
    folder,
    journal,
    file: path.join(folder.audit, CONVERSATION_FILE),
    async keep(count) {
      const drafts = told.slice(kept, kept + count).map(draftOf);
      const result = await journal.append(folder.runId, epoch, kept, drafts);
      if (!result.ok) throw new Error(result.reason);
      kept += count;
      return result.events;
    },
  };
}

function draftOf({
  protocol_version: _version,
  run_id: _run,
  seq: _seq,
  chain: _chain,
  ...draft
}: RaspEvent): RaspDraft {
  return draft as RaspDraft;
}

const asFile = (messages: readonly FcmpMessage[]) => messages.map((message) => `${JSON.stringify(message)}\n`).join('');

/** What the file has to hold for the events that are kept. */
async function expectedOf({ journal, folder }: Run): Promise<string> {
  const events: RaspEvent[] = [];
  for await (const batch of journal.read(folder.runId)) events.push(...batch);
  return asFile(foldConversation(events));
}

describe('conversation.jsonl', () => {
  test('holds the messages that the events fold to, for the user alone', async () => {
    const run = await startRun();
    const conversation = await ConversationFile.open(run.folder, run.journal, 1);
    expect(fs.existsSync(run.file)).toBe(false);
    const told: FcmpMessage[] = [];
    for (const size of [1, 4, 2, TOLD.length - 7]) told.push(...conversation.append(await run.keep(size)));
    expect(fs.readFileSync(run.file, 'utf8')).toBe(await expectedOf(run));
    expect(asFile(told)).toBe(await expectedOf(run));
    expect(told.length).toBeGreaterThan(10);
    expect(fs.statSync(run.file).mode & 0o777).toBe(0o600);
  });

  test('is brought up to events that were kept without it', async () => {
    const run = await startRun();
    await run.keep(9);
    const conversation = await ConversationFile.open(run.folder, run.journal, 1);
    expect(fs.readFileSync(run.file, 'utf8')).toBe(await expectedOf(run));
    conversation.append(await run.keep(TOLD.length - 9));
    expect(fs.readFileSync(run.file, 'utf8')).toBe(await expectedOf(run));
  });

  test('is not written again when it is opened again', async () => {
    const run = await startRun();
    await run.keep(TOLD.length);
    await ConversationFile.open(run.folder, run.journal, 1);
    const before = fs.statSync(run.file, { bigint: true });
    await ConversationFile.open(run.folder, run.journal, 1);
    const after = fs.statSync(run.file, { bigint: true });
    expect([after.mtimeNs, after.size]).toEqual([before.mtimeNs, before.size]);
  });

  test('goes on with exactly what is missing, wherever a crash cut it', async () => {
    const run = await startRun();
    await run.keep(12);
    await ConversationFile.open(run.folder, run.journal, 1);
    const whole = fs.readFileSync(run.file);
    expect(whole.toString()).toBe(await expectedOf(run));
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: whole.length }), async (cut) => {
        fs.writeFileSync(run.file, whole.subarray(0, cut));
        await ConversationFile.open(run.folder, run.journal, 1);
        expect(fs.readFileSync(run.file).equals(whole)).toBe(true);
      }),
      {
        examples: [[0], [1], [whole.length - 1], [whole.length], [whole.indexOf('ü') + 1]],
        numRuns: proofSize({ small: 20, full: 60 }),
      },
    );
  });

  test('goes on with the next attempt after a crash, as if there had been none', async () => {
    const run = await startRun();
    const first = await ConversationFile.open(run.folder, run.journal, 1);
    first.append(await run.keep(4));
    // The process died after keeping these and before they were told.
    await run.keep(7);
    fs.appendFileSync(run.file, '{"protocol_version":"fcmp/1.0","run_');
    const second = await ConversationFile.open(run.folder, run.journal, 1);
    const fresh = second.append(await run.keep(TOLD.length - 11));
    expect(fs.readFileSync(run.file, 'utf8')).toBe(await expectedOf(run));
    expect((await expectedOf(run)).endsWith(asFile(fresh))).toBe(true);
  });

  test.each([1, 3])('drops %i messages whose events did not outlive a power cut', async (surplus) => {
    const run = await startRun();
    const conversation = await ConversationFile.open(run.folder, run.journal, 1);
    conversation.append(await run.keep(6));
    const lost = foldConversation(TOLD).slice(-surplus);
    fs.appendFileSync(run.file, `${asFile(lost)}{"proto`);
    const reopened = await ConversationFile.open(run.folder, run.journal, 1);
    expect(fs.readFileSync(run.file, 'utf8')).toBe(await expectedOf(run));
    reopened.append(await run.keep(TOLD.length - 6));
    expect(fs.readFileSync(run.file, 'utf8')).toBe(await expectedOf(run));
  });

  test('drops everything where no event is left', async () => {
    const run = await startRun();
    fs.writeFileSync(run.file, asFile(foldConversation(TOLD)));
    await ConversationFile.open(run.folder, run.journal, 1);
    expect(fs.readFileSync(run.file, 'utf8')).toBe('');
  });
});

/** A journal that counts the events that are read from it. */
function counting(journal: Journal): { journal: Journal; events(): number } {
  let events = 0;
  async function* read(...range: Parameters<Journal['read']>) {
    for await (const batch of journal.read(...range)) {
      events += batch.length;
      yield batch;
    }
  }
  return { journal: { ...journal, read }, events: () => events };
}

/** Bytes that this process has read so far, from whatever file. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(fs.readFileSync('/proc/self/io', 'utf8'))![1]);
}

describe('opening it', () => {
  const LONG = new RecordedRun().status('queued').status('running');
  for (let at = 0; at < 400; at++) LONG.raw(`${at} ${'x'.repeat(2000)}\n`).final(`answer ${at} ${'y'.repeat(2000)}`);
  LONG.status('waiting_user', { reason_code: 'WAITING_FOR_USER' }).nextAttempt();
  const ended = LONG.events.length;
  const { events: told } = LONG.event('interaction.reply.accepted', {
    interaction_id: '1.1',
    text: 'Blue.',
    source: 'reply',
  })
    .status('queued')
    .status('running')
    .final('Done.');

  test('reads what is new, however much was said before', async () => {
    const run = await startRun(undefined, told);
    (await ConversationFile.open(run.folder, run.journal, 1)).append(await run.keep(ended));
    for (const size of [2, 1, 1]) {
      const { journal, events } = counting(run.journal);
      const before = bytesRead();
      const conversation = await ConversationFile.open(run.folder, journal, 2);
      expect(events()).toBe(1);
      // The whole of it is more than three million.
      expect(bytesRead() - before).toBeLessThan(500_000);
      conversation.append(await run.keep(size));
    }
    expect(fs.statSync(run.file).size).toBeGreaterThan(1_500_000);
    expect(fs.readFileSync(run.file, 'utf8')).toBe(await expectedOf(run));
  });

  test('between any two events, and wherever a crash cut the file, gives the same conversation', async () => {
    const whole = asFile(foldConversation(TOLD));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 5 })), fc.nat({ max: 3000 }), async (sizes, lost) => {
        const run = await startRun();
        let kept = 0;
        for (const size of [...sizes, TOLD.length]) {
          const next = TOLD[kept];
          if (!next) break;
          const conversation = await ConversationFile.open(run.folder, run.journal, next.attempt_number);
          const count = Math.min(size, TOLD.length - kept);
          kept += count;
          const events = await run.keep(count);
          // Every other time the process dies before it has told them.
          if (count % 2 === 0) conversation.append(events);
          else if (fs.existsSync(run.file)) fs.truncateSync(run.file, Math.max(0, fs.statSync(run.file).size - lost));
        }
        await ConversationFile.open(run.folder, run.journal, 2);
        expect(fs.readFileSync(run.file, 'utf8').replaceAll(run.folder.runId, TOLD[0]!.run_id)).toBe(whole);
      }),
      { numRuns: proofSize({ small: 8, full: 25 }) },
    );
  });

  test.each(['', 'no JSON', '{"format":"tacho-conversation-point/1"}'])(
    'does without a point like %j',
    async (content) => {
      const run = await startRun();
      (await ConversationFile.open(run.folder, run.journal, 1)).append(await run.keep(12));
      fs.writeFileSync(path.join(run.folder.audit, CONVERSATION_POINT_FILE), content);
      (await ConversationFile.open(run.folder, run.journal, 2)).append(await run.keep(TOLD.length - 12));
      expect(fs.readFileSync(run.file, 'utf8')).toBe(await expectedOf(run));
    },
  );
});

describe('a disk that fails', () => {
  test('costs the file, not the run; what is missing is folded when there is room again', async () => {
    const disk = smallDisk('16k');
    const told = new RecordedRun().status('running').final('short').final('x'.repeat(20_000)).final('short').events;
    const run = await startRun(disk, told);
    const conversation = await ConversationFile.open(run.folder, run.journal, 1);
    conversation.append(await run.keep(2));
    expect(conversation.append(await run.keep(1)).map(({ type }) => type)).toEqual(['assistant.message.final']);
    // Half a line may be there: nothing may be put behind it before it is taken away.
    const held = fs.readFileSync(run.file);
    expect(conversation.append(await run.keep(1)).map(({ type }) => type)).toEqual(['assistant.message.final']);
    expect(fs.readFileSync(run.file).equals(held)).toBe(true);
    expect((await expectedOf(run)).startsWith(held.toString())).toBe(true);
    enlarge(disk, '1m');
    await ConversationFile.open(run.folder, run.journal, 1);
    expect(fs.readFileSync(run.file, 'utf8')).toBe(await expectedOf(run));
  });

  test('or a folder in the place of the file, does not keep the run from going on', async () => {
    const run = await startRun();
    fs.mkdirSync(run.file);
    await run.keep(3);
    const conversation = await ConversationFile.open(run.folder, run.journal, 1);
    expect(conversation.append(await run.keep(3)).length).toBeGreaterThan(0);
    expect(fs.readdirSync(run.file)).toEqual([]);
  });
});

function enlarge(disk: string, size: string): void {
  const { status, stderr } = spawnSync('mount', ['-o', `remount,size=${size}`, disk], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`could not make ${disk} larger: ${stderr}`);
}
