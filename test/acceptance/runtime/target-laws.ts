import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { RuntimeClient } from '../../../src/runtime/index.ts';
import type { Places } from './places.ts';
import { brief, openShell, printed, timeOutAfterOutput } from './runtime.ts';

const TARGETS = { ssh: 'ssh:build-1', container: 'container:box-1' };

/** Sessions behave the same on every target as on this machine. */
export function targetLaws(places: Places, target: string): void {
  describe(`sessions on ${target}`, () => {
    const shellOf = (client: RuntimeClient) =>
      openShell({ workspace: '', call: (...call) => client.call(...call) }, { target });
    const ids = (sessions: { session_id: string }[]) => sessions.map(({ session_id }) => session_id);

    test('a shell keeps its state between commands, with separate streams and each status', async () => {
      const { client } = places;
      const shell = await shellOf(client);
      expect(shell.id.startsWith('s-') ? 'host' : shell.id.replace(/:s-\w+$/, '')).toBe(target);
      await shell.run('cd /tmp; export MODE=fast; shout() { echo "$1" >&2; return 4; }');
      expect(brief(await shell.run('pwd; echo $MODE; shout no'))).toEqual(
        printed('/tmp\nfast\n', { stderr: 'no\n', exit_code: 4 }),
      );
      expect(ids((await client.call('session.list', {})).sessions)).toContain(shell.id);
      await client.call('session.destroy', { session_id: shell.id });
      await expect(shell.info()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    });

    test('output is streamed byte for byte', async () => {
      const hash = createHash('sha256');
      const script = 'head -c 3000000 /dev/zero | tr "\\0" "\\351"; printf end';
      const result = await places.client.call(
        'exec.stream',
        { target, command: script, when_behind: 'wait' },
        ({ data, encoding }) => void hash.update(Buffer.from(data, encoding)),
      );
      expect({ exit: result.exit_code, bytes: result.stdout.to }).toEqual({ exit: 0, bytes: 3_000_003 });
      const expected = createHash('sha256').update(Buffer.alloc(3_000_000, 0o351)).update('end');
      expect(hash.digest('hex')).toBe(expected.digest('hex'));
    });

    test('a terminal takes keys and a size, and shows its screen', async () => {
      const { client } = places;
      const argv = ['bash', '-c', 'read line; stty size; echo "<$line>"'];
      const { session_id } = await client.call('session.create', { target, kind: 'pty', argv });
      await client.call('session.resize', { session_id, cols: 101, rows: 31 });
      await client.call('session.write', { session_id, data: 'hello\n', write_id: 'w1' });
      let text = '';
      for await (const bytes of client.follow(session_id)) text += bytes.toString();
      expect(text).toBe('hello\r\n31 101\r\n<hello>\r\n');
      const screen = await client.call('session.screen', { session_id, wait_ms: 20_000 });
      expect(screen).toMatchObject({ cols: 101, rows: 31, cursor: { row: 3, col: 0 }, settled: true });
      expect(screen.lines.slice(0, 4)).toEqual(['hello', '31 101', '<hello>', '']);
      expect((await client.call('session.info', { session_id })).end).toMatchObject({ exit_code: 0 });
    });

    test('a timeout and a cancel end a command and return its output so far', async () => {
      const { client } = places;
      const shell = await shellOf(client);
      const late = await timeOutAfterOutput((timeout_ms) => shell.run('echo begun; sleep 600', { timeout_ms }));
      expect([late.timed_out, late.stdout.data, late.session_state]).toEqual([true, 'begun\n', 'idle']);
      const running = shell.run('sleep 600', { exec_id: 'x-long' });
      await expect.poll(async () => (await shell.info()).exec_id).toBe('x-long');
      expect(await client.call('exec.cancel', { exec_id: 'x-long' })).toEqual({ canceled: true });
      expect((await running).canceled).toBe(true);
      expect(brief(await shell.run('echo on'))).toEqual(printed('on\n'));
    });

    test('files are read from its workspace, and no path leads out of it', async () => {
      const { client } = places;
      const data = Buffer.from([0, 255, 10, 200]);
      const wrote = await client.call('file.write', {
        target,
        path: 'bytes',
        data: data.toString('base64'),
        encoding: 'base64',
        mode: 0o600,
      });
      expect(wrote).toMatchObject({ path: 'bytes', type: 'file', size: 4, mode: 0o600 });
      const { stdout } = await client.call('exec.run', {
        target,
        command: 'cat bytes; ln -sfn /etc out; echo in > in',
      });
      expect(Buffer.from(stdout.data, stdout.encoding)).toEqual(data);
      const read = await client.call('file.read', { target, path: 'bytes', offset: 1, max_bytes: 2 });
      expect(read).toEqual({
        data: data.subarray(1, 3).toString('base64'),
        encoding: 'base64',
        size: 4,
        next: 3,
        end: false,
      });
      const { entries } = await client.call('file.list', { target });
      expect(entries.map(({ path: name, type }) => `${type} ${name}`)).toEqual(
        expect.arrayContaining(['file bytes', 'file in', 'link out']),
      );
      expect(await client.call('file.stat', { target, path: 'in' })).toMatchObject({ type: 'file', size: 3 });
      for (const name of ['../outside', '/etc/passwd', 'out/passwd', '.tacho/runtime/server.json']) {
        await expect(client.call('file.read', { target, path: name }), name).rejects.toMatchObject({
          code: expect.stringMatching(/^(FORBIDDEN|NOT_FOUND)$/),
        });
      }
      await expect(client.call('file.write', { target, path: 'out/x', data: '' })).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
      await expect(client.call('file.stat', { target, path: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    test('lists, stats and the status include it', async () => {
      const { client } = places;
      const { id } = await shellOf(client);
      const includesIt = async (params: { target?: string }) => [
        ids((await client.call('session.list', params)).sessions).includes(id),
        ids((await client.call('system.stats', params)).sessions).includes(id),
      ];
      expect(await includesIt({})).toEqual([true, true]);
      expect(await includesIt({ target })).toEqual([true, true]);
      expect(await includesIt({ target: 'host' })).toEqual(target === 'host' ? [true, true] : [false, false]);
      const { sessions } = await client.call('system.stats', { target });
      expect(sessions.find(({ session_id }) => session_id === id)).toMatchObject({ processes: 1 });
      const { targets } = await client.call('runtime.status', {});
      if (target !== 'host') expect(targets).toContainEqual({ target, connected: true, why: null });
    });
  });
}

/** A lost connection loses no output or input. */
export function lostConnectionLaws(places: Places, kind: 'ssh' | 'container'): void {
  const target = TARGETS[kind];
  const script = 'for i in 1 2; do seq 1 40000; read line; echo "<$line>"; done; (exit 7)';
  const part = (i: number) => `${Array.from({ length: 40_000 }, (_, j) => `${j + 1}\n`).join('')}<${i}>\n`;
  const expected = [1, 2].map(part).join('');

  /** Cuts the connection in the middle of each part, and writes the line that the program waits for at its end. */
  function cutter(session_id: string): (printed: string) => void {
    let cuts = 0;
    return ({ length }) => {
      if (length <= cuts * part(1).length) return;
      places[kind].cut();
      const data = `${++cuts}\n`;
      void places.client.call('session.write', { session_id, data, write_id: `${session_id}-${cuts}` });
    };
  }

  test('cutting the connection mid-command and reconnecting loses nothing', async () => {
    const { client } = places;
    const before = places[kind].connections();
    const shell = await client.call('session.create', { target });
    let streamed = '';
    let cut = cutter(shell.session_id);
    const command = { session_id: shell.session_id, command: script };
    const result = await client.call('exec.stream', command, ({ data }) => {
      streamed += data;
      cut(streamed);
    });
    expect(result.exit_code).toBe(7);
    expect(streamed === expected).toBe(true);

    const { session_id } = await client.call('session.create', { target, kind: 'exec', argv: ['bash', '-c', script] });
    let read = '';
    cut = cutter(session_id);
    for await (const bytes of client.follow(session_id)) {
      read += bytes.toString();
      cut(read);
    }
    expect(read === expected).toBe(true);
    expect((await client.call('session.info', { session_id })).end).toMatchObject({ exit_code: 7 });
    expect(places[kind].connections() - before).toBeGreaterThan(3);
  });
}

/** Refusals are immediate: a retry as for a lost connection would exceed the test's timeout. */
export async function expectRefusals(client: RuntimeClient, refusals: readonly [string, RegExp][]): Promise<void> {
  const outcome = (call: Promise<unknown>) =>
    call.then(
      () => 'let in',
      ({ code, message, fix }) => {
        if (code !== 'INVALID_PARAMS') expect(fix, message).toMatch(/^[A-Z]/);
        return `${code}: ${message}`;
      },
    );
  await Promise.all(
    refusals.map(async ([target, expected]) => {
      expect(await outcome(client.call('session.create', { target }))).toMatch(expected);
      expect(await outcome(client.call('exec.run', { target, command: 'true' }))).toMatch(expected);
      expect(await outcome(client.call('file.read', { target, path: 'x' }))).toMatch(expected);
    }),
  );
}
