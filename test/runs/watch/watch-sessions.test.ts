import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runViewSchema } from '../../../src/protocol/index.ts';
import { runView } from '../../../src/record/index.ts';
import { runFolderAt } from '../../../src/recording/index.ts';
import { openJournal } from '../../../src/runs/context.ts';
import { reparseAttempt } from '../../../src/runs/replay/reparse.ts';
import { importFile } from '../import/import-context.ts';
import { claudeTurn, codexBegin, codexTurn, watchedHome } from './watched-home.ts';

describe('a session that is read once', () => {
  test('becomes a sealed run that says it was watched', async () => {
    const home = watchedHome('claude');
    const file = home.sessionFile();
    const summary = { type: 'summary', summary: 'An earlier session', leafUuid: 'x' };
    fs.writeFileSync(file, `${JSON.stringify(summary)}\n${claudeTurn('Fix the login page', 'It is fixed.')}`);
    await home.once();
    expect(home.said()).toEqual(['Fix the login page', 'It is fixed.']);
    expect(home.records()).toMatchObject([
      {
        engine: 'claude',
        status: 'succeeded',
        source: { kind: 'watched', path: file },
        request: 'Fix the login page',
        cwd: '/home/user/project',
        usage: { input_tokens: 100, output_tokens: 20 },
        live: null,
        last: { state: 'completed', reason_code: 'TERMINAL_SIGNAL', exit_code: null },
      },
    ]);
    const view = runViewSchema.parse(runView(home.records()[0]!));
    expect(view).toMatchObject({ prompt: 'Fix the login page', source: { kind: 'watched', path: file } });
    expect(await home.verdicts()).toEqual(['intact']);
  });

  test('gives the same events when its bytes are read again', async () => {
    const home = watchedHome('codex');
    fs.writeFileSync(home.sessionFile(), codexBegin() + codexTurn('one', 'two'));
    await home.once();
    const { run_id } = home.records()[0]!;
    const folder = runFolderAt(path.join(home.context.home.runs, run_id));
    const again = await reparseAttempt(folder, 1, openJournal(folder, home.context.config));
    expect(again).toMatchObject({ identical: true, total: 0 });
  });

  test('is read only if it was written since the given time', async () => {
    const home = watchedHome('claude');
    const [old, recent] = [home.sessionFile(), home.sessionFile()];
    fs.writeFileSync(old, claudeTurn('old', 'answer'));
    fs.writeFileSync(recent, claudeTurn('recent', 'answer'));
    fs.utimesSync(old, 1000, 1000);
    await home.once({ since: 2_000_000 });
    expect(home.said()).toEqual(['recent', 'answer']);
  });

  test('in the middle of a turn is not a failure of the engine', async () => {
    const home = watchedHome('codex');
    const [meta, started, asked] = (codexBegin() + codexTurn('do it', 'done')).split('\n');
    fs.writeFileSync(home.sessionFile(), `${[meta, started, asked].join('\n')}\n`);
    await home.once();
    expect(home.records()).toMatchObject([
      { status: 'canceled', last: { state: 'interrupted', reason_code: 'WATCH_ENDED' } },
    ]);
  });

  test('stays removed after its run was, until it goes on', async () => {
    const home = watchedHome('claude');
    const file = home.sessionFile();
    fs.writeFileSync(file, claudeTurn('first', 'answer one'));
    await home.once();
    fs.rmSync(path.join(home.context.home.runs, home.records()[0]!.run_id), { recursive: true });
    await home.once();
    expect(home.records()).toEqual([]);
    fs.appendFileSync(file, claudeTurn('second', 'answer two'));
    await home.once();
    expect(home.said()).toEqual(['first', 'answer one', 'second', 'answer two']);
  });

  test('is read up to its last complete line', async () => {
    const home = watchedHome('claude');
    const file = home.sessionFile();
    const more = claudeTurn('second', 'answer two');
    fs.writeFileSync(file, `${claudeTurn('first', 'answer one')}${more.slice(0, 40)}`);
    await home.once();
    expect(home.said()).toEqual(['first', 'answer one']);
    fs.appendFileSync(file, more.slice(40));
    await home.once();
    expect(home.said()).toEqual(['first', 'answer one', 'second', 'answer two']);
  });
});

describe('each message is shown once', () => {
  test.each([
    ['claude', '', claudeTurn],
    ['codex', codexBegin(), codexTurn],
  ] as const)('of %s, although the watch was restarted', async (engine, begin, turn) => {
    const home = watchedHome(engine);
    const file = home.sessionFile();
    fs.writeFileSync(file, begin + turn('first', 'answer one'));
    await home.once();
    await home.once();
    fs.appendFileSync(file, turn('second', 'answer two'));
    await home.once();
    expect(home.said()).toEqual(['first', 'answer one', 'second', 'answer two']);
    expect(home.records()).toMatchObject([{ attempt: 2, status: 'succeeded' }]);
    expect(await home.verdicts()).toEqual(['intact']);
  });

  test('although the file was truncated and written again, with an entry more', async () => {
    const home = watchedHome('claude');
    const file = home.sessionFile();
    const [first, second] = [claudeTurn('first', 'answer one'), claudeTurn('second', 'answer two')];
    fs.writeFileSync(file, first + second);
    const watch = await home.follow();
    await expect.poll(() => home.said()).toHaveLength(4);
    fs.truncateSync(file, 0);
    fs.appendFileSync(file, first);
    await watch.settled();
    fs.appendFileSync(file, second + claudeTurn('third', 'answer three'));
    await expect.poll(() => home.said()).toHaveLength(6);
    expect(home.said().slice(4)).toEqual(['third', 'answer three']);
  });

  test('although the file was replaced by one with other entries before', async () => {
    const home = watchedHome('codex');
    const file = home.sessionFile();
    const [begin, first, second] = [codexBegin(), codexTurn('first', 'answer one'), codexTurn('second', 'answer two')];
    fs.writeFileSync(file, begin + first + second);
    await home.follow();
    await expect.poll(() => home.said()).toHaveLength(4);
    fs.writeFileSync(`${file}.new`, begin + second + codexTurn('third', 'answer three'));
    fs.renameSync(`${file}.new`, file);
    await expect.poll(() => home.said()).toHaveLength(6);
    expect(home.said()).toEqual(['first', 'answer one', 'second', 'answer two', 'third', 'answer three']);
    expect(home.records()).toHaveLength(1);
  });

  test('although the file was rewritten in place with the same size', async () => {
    const home = watchedHome('claude');
    const file = home.sessionFile();
    const [first, other] = [claudeTurn('first', 'answer one'), claudeTurn('other', 'answer two')];
    expect(first.length).toBe(other.length);
    fs.writeFileSync(file, first);
    await home.follow();
    await expect.poll(() => home.said()).toHaveLength(2);
    fs.writeFileSync(file, other);
    await expect.poll(() => home.said()).toEqual(['first', 'answer one', 'other', 'answer two']);
  });
});

describe('a session that is both watched and imported', () => {
  test('continues the imported run, with the new messages alone', async () => {
    const home = watchedHome('codex');
    const file = home.sessionFile();
    fs.writeFileSync(file, codexBegin() + codexTurn('first', 'answer one'));
    await importFile(file, {}, home.context);
    await home.once();
    expect(home.records()).toMatchObject([{ attempt: 1 }]);
    fs.appendFileSync(file, codexTurn('second', 'answer two'));
    await home.once();
    expect(home.said()).toEqual(['first', 'answer one', 'second', 'answer two']);
    expect(home.records()).toMatchObject([{ attempt: 2, source: { kind: 'watched' } }]);
    expect(await home.verdicts()).toEqual(['intact']);
  });

  test('is refused by an import without anything new, under any name, and continued by one with more', async () => {
    const home = watchedHome('claude');
    const [file, copy] = [home.sessionFile(), path.join(path.dirname(home.sessions.root), 'copy.jsonl')];
    fs.writeFileSync(copy, claudeTurn('first', 'answer one'));
    await importFile(copy, {}, home.context);
    const refused = { code: 'SESSION_RECORDED', facts: { run_id: home.records()[0]!.run_id } };
    await expect(importFile(copy, {}, home.context)).rejects.toMatchObject(refused);
    fs.appendFileSync(copy, claudeTurn('second', 'answer two'));
    expect(await importFile(copy, {}, home.context)).toMatchObject({ attempts: 2, status: 'succeeded' });
    expect(home.said()).toEqual(['first', 'answer one', 'second', 'answer two']);

    fs.writeFileSync(file, claudeTurn('other', 'answer three'));
    await home.once();
    expect(home.records()).toHaveLength(2);
    await expect(importFile(file, {}, home.context)).rejects.toMatchObject({ code: 'SESSION_RECORDED' });
    expect(await home.verdicts()).toEqual(['intact', 'intact']);
  });

  test('has the usage that the engine counts over all of the session', async () => {
    const home = watchedHome('codex');
    const file = home.sessionFile();
    const readers = { watch: () => home.once(), import: () => importFile(file, {}, home.context) };
    fs.writeFileSync(file, codexBegin());
    let total = 0;
    for (const by of ['import', 'import', 'watch', 'watch', 'import'] as const) {
      total += 100;
      fs.appendFileSync(file, codexTurn(`up to ${total}`, 'done', total));
      await readers[by]();
      expect(home.records(), by).toMatchObject([{ usage: { input_tokens: total, total_tokens: total } }]);
    }
    expect(home.said()).toHaveLength(10);
    expect(await home.verdicts()).toEqual(['intact']);
  });

  test('cannot be imported while a watch follows its engine', async () => {
    const home = watchedHome('claude');
    const file = home.sessionFile();
    fs.writeFileSync(file, claudeTurn('first', 'answer one'));
    await home.follow();
    await expect.poll(() => home.said()).toHaveLength(2);
    await expect(importFile(file, {}, home.context)).rejects.toMatchObject({ code: 'WATCH_RUNNING' });
    expect(home.said()).toHaveLength(2);
  });

  test('is not mixed up with that of its subagents', async () => {
    const home = watchedHome('claude');
    const subagent = path.join(path.dirname(home.sessionFile()), 'agent-a1b2.jsonl');
    fs.writeFileSync(home.sessionFile(), claudeTurn('first', 'answer one'));
    fs.writeFileSync(
      subagent,
      claudeTurn('look around', 'nothing there').replaceAll('"cwd"', '"agentId":"a1b2","cwd"'),
    );
    await home.once();
    await home.once();
    expect(home.records()).toHaveLength(2);
    expect(home.said()).toHaveLength(4);
  });
});

describe('a watch that follows', () => {
  test('records new sessions, in new folders, while they are written', async () => {
    const home = watchedHome('codex');
    const watch = await home.follow({ since: null });
    const file = home.sessionFile('2026/11/16');
    fs.writeFileSync(file, codexBegin() + codexTurn('first', 'answer one'));
    await expect.poll(() => home.said()).toEqual(['first', 'answer one']);
    expect(home.records()).toMatchObject([{ status: 'running', source: { kind: 'watched' } }]);
    fs.appendFileSync(file, codexTurn('second', 'answer two'));
    await expect.poll(() => home.said()).toHaveLength(4);
    await watch.stop();
    expect(home.records()).toMatchObject([{ attempt: 1, status: 'succeeded', live: null }]);
    expect(await home.verdicts()).toEqual(['intact']);
  });

  test('leaves sessions alone that were written before it, until they are continued', async () => {
    const home = watchedHome('claude');
    const file = home.sessionFile();
    fs.writeFileSync(file, claudeTurn('before', 'answer'));
    await home.follow({ since: null });
    expect(home.records()).toEqual([]);
    fs.appendFileSync(file, claudeTurn('after', 'answer'));
    await expect.poll(() => home.said()).toEqual(['before', 'answer', 'after', 'answer']);
  });

  test('seals a session without news, and continues its run later', async () => {
    const home = watchedHome('claude');
    const file = home.sessionFile();
    await home.follow({ idleMs: 100 });
    fs.writeFileSync(file, claudeTurn('first', 'answer one'));
    await expect.poll(() => home.progress.some(({ kind }) => kind === 'sealed')).toBe(true);
    fs.appendFileSync(file, claudeTurn('second', 'answer two'));
    await expect.poll(() => home.progress.filter(({ kind }) => kind === 'sealed')).toHaveLength(2);
    expect(home.records()).toMatchObject([{ attempt: 2, status: 'succeeded' }]);
  });

  test('is the only one of its engine and data folder', async () => {
    const home = watchedHome('claude');
    const watch = await home.follow();
    await expect(home.follow()).rejects.toMatchObject({ code: 'WATCH_RUNNING' });
    await watch.stop();
    await home.once();
  });

  test('starts before the engine has ever been used', async () => {
    const home = watchedHome('claude');
    await home.follow({ idleMs: 100 });
    fs.writeFileSync(home.sessionFile(), claudeTurn('first', 'answer one'));
    await expect.poll(() => home.said()).toEqual(['first', 'answer one']);
  });
});

describe('the folders of an engine', () => {
  test('are never written to', async () => {
    const home = watchedHome('claude');
    const file = home.sessionFile();
    fs.writeFileSync(file, claudeTurn('first', 'answer one'));
    const look = () => execFileSync('find', [home.sessions.root, '-printf', '%p %s %T@ %C@ %i\\n']).toString();
    const before = look();
    await home.once();
    const watch = await home.follow();
    await watch.settled();
    await watch.stop();
    expect(look()).toBe(before);
  });

  test('may have links, pipes and unreadable files, which are refused and reported', async () => {
    const home = watchedHome('claude');
    const [file, link, pipe] = [home.sessionFile(), home.sessionFile(), home.sessionFile()];
    const outside = path.join(path.dirname(home.sessions.root), 'secret.jsonl');
    fs.writeFileSync(outside, claudeTurn('secret', 'not for the record'));
    fs.symlinkSync(outside, link);
    execFileSync('mkfifo', [pipe]);
    fs.symlinkSync(path.dirname(home.sessions.root), path.join(home.sessions.root, 'elsewhere'));
    fs.mkdirSync(path.join(home.sessions.root, 'project', 'folder.jsonl'));
    const odd = ['not json', '{"half": ', 'null', '[]', '7', '{}', '{"type":5}', '\0\u{1b}[2J', '['.repeat(50_000)];
    const bytes = Buffer.from([0xff, 0xfe, 0x0a]);
    fs.writeFileSync(file, Buffer.concat([Buffer.from(`${odd.join('\n')}\n`), bytes]));
    fs.appendFileSync(file, claudeTurn('first', 'answer one'));
    await home.once();
    expect(home.said()).toEqual(['first', 'answer one']);
    const refused = home.progress.flatMap((news) => (news.kind === 'refused' ? [news.path] : []));
    expect(refused.toSorted()).toEqual([link, pipe, path.join(home.sessions.root, 'elsewhere')].toSorted());
    expect(await home.verdicts()).toEqual(['intact']);
  });
});
