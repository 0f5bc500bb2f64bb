import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { zsh } from '../../src/terminal/shells/zsh.ts';
import { proofSize } from '../support/proof-size.ts';

test('zsh abandons the whole command, at whatever moment the interrupt comes', async () => {
  const shell = spawn('zsh', ['-f'], { stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void shell.kill('SIGKILL'));
  const ended = once(shell, 'exit').then(() => Promise.reject(new Error('zsh has ended')));
  ended.catch(() => {});
  let said = '';
  shell.stdout.on('data', (bytes) => {
    said += bytes;
  });
  const until = async (word: string) => {
    while (!said.includes(word)) await Promise.race([once(shell.stdout, 'data'), ended]);
  };
  const text = 'inner() { while :; do :; done; }; echo begun; inner; echo unreached';
  for (let round = 0; round < proofSize({ small: 300, full: 5000 }); round++) {
    said = '';
    shell.stdin.write(zsh.runText({ text, input: null, previousStatus: 0 }));
    await until('begun\n');
    // Any moment within the loop, which takes microseconds.
    for (const moment = performance.now() + Math.random(); performance.now() < moment; );
    process.kill(shell.pid!, zsh.interruptSignal);
    shell.stdin.write('echo end\n');
    await until('end\n');
    expect(said).not.toContain('unreached');
  }
});
