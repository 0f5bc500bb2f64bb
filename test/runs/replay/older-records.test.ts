import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createConversation } from '../../../src/conversation/index.ts';
import { createFileJournal, fullLines } from '../../../src/journal/index.ts';
import { CONVERSATION_FILE, type RaspEvent } from '../../../src/protocol/index.ts';
import { foldBatch } from '../../../src/record/index.ts';
import { findRun, folderFiles } from '../../../src/recording/index.ts';
import { readTranscript } from '../../../src/runs/replay/read-transcript.ts';
import { reparseAttempt } from '../../../src/runs/replay/reparse.ts';
import { verifyBoth } from '../../record/both-ports.ts';

/** Runs of a version that kept all output in events. One printed a secret and bytes that are not UTF-8, one an echo. */
const RUNS = path.resolve('test/fixtures/records/inline-output');
const SECRET = 'correct-horse-battery';

describe.each(fs.readdirSync(RUNS))('the older record %s', (run) => {
  const folder = findRun(RUNS, run);
  const journal = createFileJournal({ locate: () => folder.audit, fsync: 'off' });
  const events = async () => {
    const all: RaspEvent[] = [];
    for await (const batch of journal.read(run)) all.push(...batch);
    return all;
  };

  test('is intact', async () => {
    expect(await verifyBoth(folder)).toMatchObject({ verdict: 'intact', problems: [] });
  });

  test('reads the same again', async () => {
    expect(await reparseAttempt(folder, 1, journal)).toMatchObject({ identical: true, differences: [] });
  });

  test('gives the same conversation', async () => {
    const messages = await foldBatch(createConversation({ run_id: run }), await events(), folderFiles(folder));
    const kept = fs.readFileSync(path.join(folder.audit, CONVERSATION_FILE), 'utf8');
    expect(messages.map((message) => `${JSON.stringify(message)}\n`).join('')).toBe(kept);
  });

  test('has its output in the transcript, without secrets', async () => {
    const text = [...(await readTranscript(folder, journal))].join('');
    expect(text).toMatch(/line 40 /);
    expect(text).not.toContain(SECRET);
  });

  test('is listed as it is, whether or not whole texts are asked for', async () => {
    for await (const lines of journal.readLines(run)) {
      const given = async function* () {
        yield lines;
      };
      for await (const full of fullLines(given(), folderFiles(folder))) expect(full).toEqual(lines);
    }
  });
});
