import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IMPORT_CODEX } from '../../support/recordings.ts';
import { removeFolder } from '../../support/tacho.ts';
import { tachoHere } from '../../support/tacho-here.ts';

describe('an export of an agent’s conversation', () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-test-'));
  const env = { ...process.env, TACHO_HOME: home, NO_COLOR: '1' } as Record<string, string>;
  const here = (words: readonly string[]) => tachoHere(words, { cwd: home, env, input: '' });
  const exported = async (...words: string[]) => {
    const listeners = process.stdout.listenerCount('close');
    const { code, stdout, stderr } = await here(['export', 'last', ...words]);
    expect(process.stdout.listenerCount('close')).toBe(listeners);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };

  beforeAll(async () => {
    expect(await here(IMPORT_CODEX)).toMatchObject({ code: 0 });
  });
  afterAll(() => removeFolder(home));

  it('is a transcript as md', async () => {
    const text = await exported('--format', 'md');
    expect(text).toMatch(/^# .*\n\n- \*\*Result:\*\* succeeded/);
    expect(text).toContain('- **Engine:** `codex`');
    expect(text).toMatch(
      /<details><summary>✔ command_execution: mkdir .*\n\nResult:\n\n```text\nTOOL_RAN_OK\n```\n\n<\/details>/,
    );
  });

  it('is the chat as txt', async () => {
    const chat = await exported('--format', 'txt');
    expect(chat).toMatch(/^✔ .*mkdir -p artifacts/m);
    expect(chat).toMatch(/✔ succeeded .* tacho show [0-9a-f]{8}\n$/);
    expect(chat).not.toContain('{"type":');
  });

  it('plays the chat as asciicast', async () => {
    const [header, ...lines] = (await exported('--format', 'asciicast')).trimEnd().split('\n');
    expect(JSON.parse(header!)).toMatchObject({ version: 2, width: 80, height: 24 });
    const events = lines.map((line) => JSON.parse(line) as [number, string, string]);
    expect(events.every(([time, code], at) => code === 'o' && time >= (events[at - 1]?.[0] ?? 0))).toBe(true);
    const shown = events.map(([, , text]) => text).join('');
    expect(shown).toContain('mkdir -p artifacts');
    expect(shown).toMatch(/succeeded.*\r\n$/);
  });

  it('is refused for an unknown attempt', async () => {
    const { code, stderr } = await here(['export', 'last', '--format', 'md', '--attempt', '7']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('ATTEMPT_NOT_FOUND');
  });
});
