import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { finished, signalIfThere, tachoCommand } from '../../support/tacho.ts';
import { claudeTurn, type WatchedHome, watchedHome } from './watched-home.ts';

/** The command, as a person uses it who has set CLAUDE_CONFIG_DIR. */
function tacho(home: WatchedHome, ...words: string[]): ChildProcess {
  const folder = path.dirname(home.sessions.root);
  const child = spawn(process.execPath, [tachoCommand, ...words, '--data', home.context.home.root], {
    env: { ...process.env, CLAUDE_CONFIG_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => signalIfThere(child.pid!, 'SIGKILL'));
  return child;
}

async function watching(home: WatchedHome): Promise<ChildProcess> {
  const child = tacho(home, 'watch', 'claude', '--json');
  await new Promise((resolve) => child.stdout!.once('data', resolve));
  return child;
}

describe('tacho watch', () => {
  test('that is killed in the middle of a session loses and repeats nothing', async () => {
    const home = watchedHome('claude', 'projects');
    const file = home.sessionFile();
    const child = await watching(home);
    const turns = ['one', 'two', 'three'].map((word) => claudeTurn(word, `answer ${word}`));
    fs.writeFileSync(file, turns[0]! + turns[1]!.slice(0, 60));
    await expect.poll(() => home.said()).toEqual(['one', 'answer one']);
    child.kill('SIGKILL');
    await finished(child);
    fs.appendFileSync(file, turns[1]!.slice(60) + turns[2]);
    await home.once({ since: null });
    expect(home.said()).toEqual(['one', 'answer one', 'two', 'answer two', 'three', 'answer three']);
    expect(home.records()).toMatchObject([{ attempt: 2, status: 'succeeded', recovered: [1], live: null }]);
    expect(await home.verdicts()).toEqual(['intact']);
  });

  test('seals what it read at Ctrl-C, and its runs are marked', async () => {
    const home = watchedHome('claude', 'projects');
    const child = await watching(home);
    fs.writeFileSync(home.sessionFile(), claudeTurn('Fix the login page', 'It is fixed.'));
    await expect.poll(() => home.said()).toHaveLength(2);
    const second = await finished(tacho(home, 'watch', 'claude'));
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('[WATCH_RUNNING]') });
    child.kill('SIGINT');
    expect(await finished(child)).toMatchObject({ code: 0 });
    expect(home.records()).toMatchObject([{ status: 'succeeded', live: null }]);
    const { stdout: list } = await finished(tacho(home, 'runs'));
    expect(list).toMatch(/succeeded \(–\), watched .*Fix the login page/);
    const { stdout: shown } = await finished(tacho(home, 'show', 'last'));
    expect(shown).toContain('watched: read from the engine’s session file, not recorded by tacho');
  });
});
