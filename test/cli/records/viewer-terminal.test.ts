import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandbox, tachoCommand } from '../../support/tacho.ts';
import { runTerminal } from '../../terminal/run-terminal.ts';

/** Asks for the terminal's kind, the cursor's place and a colour; switches on the mouse and pasting in brackets. */
const HOSTILE = 'before \\033[c\\033[6n\\033]11;?\\007\\033[>q\\033[?1000h\\033[?2004h after';
const asked = /\u001b\[c|\u001b\[6n|\u001b\]11;\?|\u001b\[>q/;

async function recorded() {
  const box = sandbox();
  await box.tacho(['run', '--', 'printf', HOSTILE]);
  const exact = fs.readFileSync(path.join(box.audit(), 'stdout.1.log'));
  const atTerminal = (words: readonly string[], meanwhile?: Parameters<typeof runTerminal>[2]) =>
    runTerminal(
      [process.execPath, tachoCommand, ...words],
      { mode: 'merged', env: { ...process.env, TACHO_HOME: box.home } as Record<string, string> },
      meanwhile,
    );
  return { box, exact, atTerminal };
}

describe('a recording shown on a terminal', () => {
  it('asks nothing of it and leaves no mode behind', async () => {
    const { exact, atTerminal } = await recorded();
    expect(exact.toString()).toMatch(asked);
    for (const words of [
      ['replay', 'last'],
      ['raw', 'last'],
    ]) {
      const shown = (await atTerminal(words)).a.toString();
      expect(shown, words[0]).toMatch(/before .* after/s);
      expect(shown, words[0]).not.toMatch(asked);
      expect(shown, words[0]).toMatch(/\u001b\[\?1000l/);
      expect(shown, words[0]).toMatch(/\u001b\[\?2004l/);
    }
  });

  it('is exact in a pipe', async () => {
    const { box, exact } = await recorded();
    expect((await box.tacho(['raw', 'last'])).stdout).toBe(exact.toString());
    expect((await box.tacho(['replay', 'last'])).stdout).toBe(exact.toString());
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('leaves no mode behind on %s', async (signal) => {
    const box = sandbox();
    await box.tacho(['run', '--', 'sh', '-c', "printf '\\033[?1049h\\033[?1003hshown'; sleep 1; printf later"]);
    const shown = await runTerminal(
      [process.execPath, tachoCommand, 'replay', 'last', '--speed', '0.05'],
      { mode: 'merged', env: { ...process.env, TACHO_HOME: box.home } as Record<string, string> },
      async ({ printed, terminal }) => {
        await printed('shown');
        process.kill(terminal.pid, signal);
      },
    );
    expect(shown.a.toString()).toMatch(/shown.*\u001b\[\?1003l\u001b\[\?1049l/s);
    expect(shown.exitCode).toBe({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal]);
  });
});
