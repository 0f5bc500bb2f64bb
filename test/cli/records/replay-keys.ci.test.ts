import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IMPORT_CODEX } from '../../support/recordings.ts';
import { removeFolder, tachoCommand } from '../../support/tacho.ts';
import { tachoHere } from '../../support/tacho-here.ts';
import { atTerminal, type RunningTerminal } from '../../terminal/run-terminal.ts';

/** Prints the keys left over afterwards, as a shell would read them at its prompt. */
const AND_LEFT = '"$@"; code=$?; IFS= read -r -t 0.2 -n 100 left; echo "left=[$left]"; exit $code';

describe('tacho replay at a terminal', () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-test-'));
  const env = { ...process.env, TACHO_HOME: home, NO_COLOR: '1' } as Record<string, string>;
  const here = (words: readonly string[]) => tachoHere(words, { cwd: home, env, input: '' });

  beforeAll(async () => {
    const script = "printf '\\033[?1049h\\033[?1000hfirst'; sleep 0.5; printf second";
    expect(await here(['run', '--', 'sh', '-c', script])).toMatchObject({ code: 0 });
  });
  afterAll(() => removeFolder(home));

  const replay = (...words: string[]) =>
    atTerminal(['bash', '-c', AND_LEFT, 'bash', process.execPath, tachoCommand, 'replay', 'last', ...words], home);
  const press = (running: RunningTerminal, keys: string) => running.terminal.write(Buffer.from(keys));

  async function endOf(running: RunningTerminal): Promise<string> {
    await running.terminal.ended;
    const text = running.text();
    const [before, after] = [text.split('\r\n')[0], text.trimEnd().split('\r\n').at(-1)];
    expect(after, 'the modes of the terminal').toBe(before);
    return text;
  }

  it('pauses, seeks, steps and quits by keys, and passes none to the shell', async () => {
    const running = replay('--speed', '0.01');
    await running.printed('first');
    await press(running, ' ');
    await running.printed('paused');
    await press(running, '?');
    await running.printed('left/right seek');
    await press(running, '.');
    await running.printed('second');
    await press(running, '\u001b[D');
    await running.printed(/paused {3}0:00 \/ 0:00 {2}0.01x[\s\S]*paused {3}0:00/);
    await press(running, 'xyz q');
    const text = await endOf(running);
    expect(text).toContain('left=[]');
    expect(text).toContain('code 0');
    expect(text.lastIndexOf('\u001b[?1049l')).toBeGreaterThan(text.lastIndexOf('\u001b[?1049h'));
    expect(text).toContain('\u001b[?1000l');
  });

  it('restores the terminal on Ctrl-C and on a signal', async () => {
    for (const [end, code] of Object.entries({ '\u0003': 130, SIGTERM: 143 })) {
      const running = replay('--speed', '0.01');
      await running.printed('first');
      if (end === '\u0003') await press(running, end);
      else process.kill(pidOf(running), end);
      const text = await endOf(running);
      expect(text, end).toContain(`code ${code}`);
      expect(text, end).toContain('\u001b[?1000l');
    }
  });

  it('plays the conversation of an agent above a status line', async () => {
    expect(await here(IMPORT_CODEX)).toMatchObject({ code: 0 });
    const running = replay();
    const text = await endOf(running);
    expect(text).toContain('mkdir -p artifacts');
    expect(text).toMatch(/[✔+] succeeded .*tacho show/);
    expect(text).not.toContain('"type":"item.completed"');
    expect(text).toContain('code 0');
    expect(text).toMatch(/\u001b\[1;23r[\s\S]*\u001b\[r/);
  });

  function pidOf({ terminal }: RunningTerminal): number {
    const childrenOf = (pid: number) =>
      fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').filter(Boolean).map(Number);
    const [inner] = childrenOf(terminal.pid);
    return childrenOf(inner!)[0]!;
  }
});

describe('tacho replay without a terminal', () => {
  it('plays the conversation of an agent as text, without waiting at --speed max', async () => {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-test-'));
    const env = { ...process.env, TACHO_HOME: home } as Record<string, string>;
    const here = (words: readonly string[]) => tachoHere(words, { cwd: home, env, input: '' });
    try {
      await here(IMPORT_CODEX);
      const { code, stdout } = await here(['replay', 'last', '--speed', 'max']);
      expect({ code, chat: stdout }).toEqual({ code: 0, chat: (await here(['show', 'last', '--chat'])).stdout });
      const wrong = await here(['replay', 'last', '--speed', 'fast']);
      expect(wrong.stderr).toContain('--speed must be a number greater than 0, or max, got "fast"');
    } finally {
      removeFolder(home);
    }
  });
});
