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

/** A run with two attempts, and raw lines that are held back until a message shows whether they are its echo. */
const EVENTS = new RecordedRun()
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
  /** Appends the next events to the journal. */
  keep(count: number): Promise<RaspEvent[]>;
}

/** A run whose journal is claimed and empty; the conversation may be on another disk than the journal. */
async function startRun(disk = temporaryFolder(), given: readonly RaspEvent[] = EVENTS): Promise<Run> {
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
      const drafts = given.slice(kept, kept + count).map(draftOf);
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

/** The expected content of the file for the events in the journal. */
async function expectedOf({ journal, folder }: Run): Promise<string> {
  const events: RaspEvent[] = [];
  for await (const batch of journal.read(folder.runId)) events.push(...batch);
  return asFile(foldConversation(events));
}

describe('conversation.jsonl', () => {
  test('contains the messages folded from the events, readable only by the user', async () => {
    const run = await startRun();
    const conversation = await ConversationFile.open(run.folder, run.journal, 1);
    expect(fs.existsSync(run.file)).toBe(false);
    const messages: FcmpMessage[] = [];
    for (const size of [1, 4, 2, EVENTS.length - 7])
      messages.push(...(await conversation.append(await run.keep(size))));
    expect(fs.readFileSync(run.file, 'utf8')).toBe(await expectedOf(run));
    expect(asFile(messages)).toBe(await expectedOf(run));
    expect(messages.length).toBeGreaterThan(10);
    expect(fs.statSync(run.file).mode & 0o777).toBe(0o600);
  });

  test('catches up with events stored while it was not open', async () => {
    const run = await startRun();
    await run.keep(9);
    const conversation = await ConversationFile.open(run.folder, run.journal, 1);
    expect(fs.readFileSync(run.file, 'utf8')).toBe(await expectedOf(run));
    await conversation.append(await run.keep(EVENTS.length - 9));
    expect(fs.readFileSync(run.file, 'utf8')).toBe(await expectedOf(run));
  });

  test('is not rewritten when it is reopened', async () => {
    const run = await startRun();
    await run.keep(EVENTS.length);
    await ConversationFile.open(run.folder, run.journal, 1);
    const before = fs.statSync(run.file, { bigint: true });
    await ConversationFile.open(run.folder, run.journal, 1);
    const after = fs.statSync(run.file, { bigint: true });
    expect([after.mtimeNs, after.size]).toEqual([before.mtimeNs, before.size]);
  });

  test('gets exactly the missing messages, wherever a crash cut it', async () => {
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

  test('continues with the next attempt after a crash, with the same content', async () => {
    const run = await startRun();
    const first = await ConversationFile.open(run.folder, run.journal, 1);
    await first.append(await run.keep(4));
    // The process died after storing these and before appending them.
    await run.keep(7);
    fs.appendFileSync(run.file, '{"protocol_version":"fcmp/1.0","run_');
    const second = await ConversationFile.open(run.folder, run.journal, 1);
    const fresh = await second.append(await run.keep(EVENTS.length - 11));
    expect(fs.readFileSync(run.file, 'utf8')).toBe(await expectedOf(run));
    expect((await expectedOf(run)).endsWith(asFile(fresh))).toBe(true);
  });

  test.each([1, 3])('drops %i messages whose events were lost in a power cut', async (surplus) => {
    const run = await startRun();
    const conversation = await ConversationFile.open(run.folder, run.journal, 1);
    await conversation.append(await run.keep(6));
    const lost = foldConversation(EVENTS).slice(-surplus);
    fs.appendFileSync(run.file, `${asFile(lost)}{"proto`);
    const reopened = await ConversationFile.open(run.folder, run.journal, 1);
    expect(fs.readFileSync(run.file, 'utf8')).toBe(await expectedOf(run));
    await reopened.append(await run.keep(EVENTS.length - 6));
    expect(fs.readFileSync(run.file, 'utf8')).toBe(await expectedOf(run));
  });

  test('drops everything if no event is left', async () => {
    const run = await startRun();
    fs.writeFileSync(run.file, asFile(foldConversation(EVENTS)));
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

/** Bytes that this process has read so far, from any file. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(fs.readFileSync('/proc/self/io', 'utf8'))![1]);
}

describe('opening conversation.jsonl', () => {
  const LONG = new RecordedRun().status('queued').status('running');
  for (let at = 0; at < 400; at++) LONG.raw(`${at} ${'x'.repeat(2000)}\n`).final(`answer ${at} ${'y'.repeat(2000)}`);
  LONG.status('waiting_user', { reason_code: 'WAITING_FOR_USER' }).nextAttempt();
  const ended = LONG.events.length;
  const { events } = LONG.event('interaction.reply.accepted', {
    interaction_id: '1.1',
    text: 'Blue.',
    source: 'reply',
  })
    .status('queued')
    .status('running')
    .final('Done.');

  test('reads only the new events, however long the conversation is', async () => {
    const run = await startRun(undefined, events);
    await (await ConversationFile.open(run.folder, run.journal, 1)).append(await run.keep(ended));
    for (const size of [2, 1, 1]) {
      const { journal, events: eventsRead } = counting(run.journal);
      const before = bytesRead();
      const conversation = await ConversationFile.open(run.folder, journal, 2);
      expect(eventsRead()).toBe(1);
      // The whole log is more than three million bytes.
      expect(bytesRead() - before).toBeLessThan(500_000);
      await conversation.append(await run.keep(size));
    }
    expect(fs.statSync(run.file).size).toBeGreaterThan(1_500_000);
    expect(fs.readFileSync(run.file, 'utf8')).toBe(await expectedOf(run));
  });

  test('between any two events, and wherever a crash cut the file, gives the same conversation', async () => {
    const whole = asFile(foldConversation(EVENTS));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 5 })), fc.nat({ max: 3000 }), async (sizes, lost) => {
        const run = await startRun();
        let kept = 0;
        for (const size of [...sizes, EVENTS.length]) {
          const next = EVENTS[kept];
          if (!next) break;
          const conversation = await ConversationFile.open(run.folder, run.journal, next.attempt_number);
          const count = Math.min(size, EVENTS.length - kept);
          kept += count;
          const events = await run.keep(count);
          // In half of the cases the process dies before appending them.
          if (count % 2 === 0) await conversation.append(events);
          else if (fs.existsSync(run.file)) fs.truncateSync(run.file, Math.max(0, fs.statSync(run.file).size - lost));
        }
        await ConversationFile.open(run.folder, run.journal, 2);
        expect(fs.readFileSync(run.file, 'utf8').replaceAll(run.folder.runId, EVENTS[0]!.run_id)).toBe(whole);
      }),
      { numRuns: proofSize({ small: 8, full: 25 }) },
    );
  });

  test.each(['', 'no JSON', '{"format":"tacho-conversation-point/1"}'])(
    'ignores an invalid point like %j',
    async (content) => {
      const run = await startRun();
      await (await ConversationFile.open(run.folder, run.journal, 1)).append(await run.keep(12));
      fs.writeFileSync(path.join(run.folder.audit, CONVERSATION_POINT_FILE), content);
      await (await ConversationFile.open(run.folder, run.journal, 2)).append(await run.keep(EVENTS.length - 12));
      expect(fs.readFileSync(run.file, 'utf8')).toBe(await expectedOf(run));
    },
  );
});

describe('a disk that fails', () => {
  test('leaves the file incomplete until there is space again, but does not stop the run', async () => {
    const disk = smallDisk('16k');
    const events = new RecordedRun().status('running').final('short').final('x'.repeat(20_000)).final('short').events;
    const run = await startRun(disk, events);
    const conversation = await ConversationFile.open(run.folder, run.journal, 1);
    await conversation.append(await run.keep(2));
    expect((await conversation.append(await run.keep(1))).map(({ type }) => type)).toEqual(['assistant.message.final']);
    // There may be half a line: nothing may be appended before it is removed.
    const held = fs.readFileSync(run.file);
    expect((await conversation.append(await run.keep(1))).map(({ type }) => type)).toEqual(['assistant.message.final']);
    expect(fs.readFileSync(run.file).equals(held)).toBe(true);
    expect((await expectedOf(run)).startsWith(held.toString())).toBe(true);
    enlarge(disk, '1m');
    await ConversationFile.open(run.folder, run.journal, 1);
    expect(fs.readFileSync(run.file, 'utf8')).toBe(await expectedOf(run));
  });

  test('or a folder in place of the file does not stop the run', async () => {
    const run = await startRun();
    fs.mkdirSync(run.file);
    await run.keep(3);
    const conversation = await ConversationFile.open(run.folder, run.journal, 1);
    expect((await conversation.append(await run.keep(3))).length).toBeGreaterThan(0);
    expect(fs.readdirSync(run.file)).toEqual([]);
  });
});

function enlarge(disk: string, size: string): void {
  const { status, stderr } = spawnSync('mount', ['-o', `remount,size=${size}`, disk], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`could not make ${disk} larger: ${stderr}`);
}
