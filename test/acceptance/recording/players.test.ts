import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { removeFolder, type Sandbox, sandbox } from '../../support/tacho.ts';

const SCRIPT =
  'printf "\\033[1mbold\\033[0m h\\303\\251llo \\xe4\\xb8\\xad\\n"; echo err >&2; sleep 0.2; for i in $(seq 50); do echo "row $i"; done';

describe('recordings play in scriptreplay and asciinema', () => {
  test('scriptreplay prints exactly the merged bytes', async () => {
    const box = await recorded();
    const { audit } = box;
    const pty = path.join(audit(), 'pty-output.1.log');
    const played = spawnSync(
      'scriptreplay',
      ['--log-out', pty, '--log-timing', path.join(audit(), 'pty-timing.1.log'), '--divisor', '100'],
      { encoding: 'buffer' },
    );
    expect(played.status).toBe(0);
    const merged = fs.readFileSync(pty);
    const payload = merged.subarray(merged.indexOf('\n') + 1);
    // scriptreplay adds a newline after the last entry.
    expect(played.stdout.subarray(0, payload.length).equals(payload)).toBe(true);
    expect(played.stdout.subarray(payload.length).toString().trim()).toBe('');
    expect(played.stderr.toString()).toBe('');
  });

  test('scriptreplay plays a recording with input', async () => {
    const { here, audit } = sandbox();
    await here(['run', '--', 'bash', '-c', 'read name; echo "hello $name"'], { input: 'world\n' });
    const names = ['pty-output.1.log', 'pty-timing.1.log', 'stdin.1.log'].map((name) => path.join(audit(), name));
    const played = spawnSync('scriptreplay', ['--log-out', names[0]!, '--log-timing', names[1]!, '--divisor', '100'], {
      encoding: 'utf8',
    });
    expect(played).toMatchObject({ status: 0, stderr: '' });
    expect(played.stdout.trim()).toBe('hello world');
    expect(fs.readFileSync(names[2]!, 'utf8')).toBe('world\n');
  });

  test('the asciicast is valid', async () => {
    const { here } = await recorded();
    const { stdout } = await here(['export', 'last', '--format', 'asciicast']);
    const [first, ...rest] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({ version: 2, width: 120, height: 40 });
    expect(Number.isInteger(first.timestamp)).toBe(true);
    for (const value of Object.values(first.env)) expect(typeof value).toBe('string');
    let last = 0;
    for (const event of rest) {
      expect(event).toHaveLength(3);
      const [time, code, data] = event;
      expect(typeof time).toBe('number');
      expect(time).toBeGreaterThanOrEqual(last);
      expect(['o', 'i', 'r']).toContain(code);
      expect(typeof data).toBe('string');
      last = time;
    }
    expect(last).toBeGreaterThan(0.15);
    const text = rest
      .filter(([, code]) => code === 'o')
      .map(([, , data]) => data)
      .join('');
    expect(text).toContain('\u001b[1mbold\u001b[0m héllo 中\r\n');
    expect(text).toContain('row 50\r\n');
  });

  test('the asciicast plays in asciinema', async () => {
    const { here, home } = await recorded();
    const cast = path.join(home, 'run.cast');
    expect((await here(['export', 'last', '--format', 'asciicast', '--output', cast])).code).toBe(0);
    // Both need a terminal: record them while they play a recording.
    const shown = await here(['run', '--env', 'LC_ALL=C.UTF-8', '--', 'asciinema', 'cat', cast]);
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining('succeeded') });
    expect(shown.stdout).toContain('héllo 中');
    const played = await here(['run', '--env', 'LC_ALL=C.UTF-8', '--', 'asciinema', 'play', '--speed', '50', cast]);
    expect(played.code).toBe(0);
    expect(played.stdout).toContain('row 50');
  });

  test('tacho replay prints the recording, and the text export has no control sequences', async () => {
    const { tacho, here } = await recorded();
    const replayed = await tacho(['replay', 'last', '--speed', '100']);
    expect(replayed).toMatchObject({ code: 0 });
    expect(replayed.stdout).toContain('\u001b[1mbold\u001b[0m héllo 中\n');
    const text = await here(['export', 'last', '--format', 'txt']);
    expect(text.stdout).toContain('bold héllo 中\n');
    expect(text.stdout).not.toContain('\u001b');
  });

  test('the zip contains the whole record, and verifies when unpacked', async () => {
    const { tacho, here, home, runIds } = await recorded();
    const zip = path.join(home, 'run.zip');
    expect((await tacho(['export', 'last', '--format', 'zip', '--output', zip])).code).toBe(0);
    const unpacked = path.join(home, 'unpacked');
    const unzip = spawnSync('python3', ['-m', 'zipfile', '-e', zip, unpacked]);
    expect(unzip.status).toBe(0);
    const verified = await here(['verify', path.join(unpacked, runIds()[0]!)]);
    expect(verified).toMatchObject({ code: 0 });
  });
});

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-players-'));
afterAll(() => removeFolder(home));

/** A copy of a run that is recorded once. */
async function recorded(): Promise<Sandbox> {
  const box = sandbox();
  if (!fs.existsSync(path.join(home, 'runs'))) {
    expect((await box.here(['run', '--data', home, '--', 'bash', '-c', SCRIPT])).code).toBe(0);
  }
  fs.cpSync(home, box.home, { recursive: true });
  return box;
}
