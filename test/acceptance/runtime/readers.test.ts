import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { proofSize } from '../../support/proof-size.ts';
import { until } from '../../support/tacho.ts';
import { waysToRuntime } from './daemon.ts';
import { openShell, readAll } from './runtime.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('readers of a session each get all bytes or the exact gap, and do not block others', () => {
  describe.each(waysToRuntime())('%s', (_way, openRuntime) => {
    test('the gap is exact, and all bytes after it arrive', async () => {
      const runtime = openRuntime();
      const shell = await openShell(runtime, { buffer_bytes: 65_536 });
      const { stdout } = await shell.run('seq 1 100000', { max_output_bytes: 0 });
      const all = Buffer.from(`${Array.from({ length: 100_000 }, (_, index) => index + 1).join('\n')}\n`);
      expect(stdout).toMatchObject({ from: 0, to: all.length, omitted: { at: 0, bytes: all.length } });
      const first = all.length - 65_536;
      const read = await runtime.call('session.read', { session_id: shell.id, after: 1000, max_bytes: 100_000 });
      expect(read).toEqual({
        data: all.subarray(first).toString(),
        encoding: 'utf8',
        from: first,
        next: all.length,
        truncated_before: first,
        closed: false,
        cols: null,
        rows: null,
      });
      const again = await runtime.call('session.read', { session_id: shell.id, after: first + 5, max_bytes: 10 });
      expect(again).toMatchObject({ truncated_before: null, from: first + 5, next: first + 15 });
    });

    test('two readers at different cursors both get all bytes', async () => {
      const runtime = openRuntime();
      const size = proofSize({ small: 3_000_000, full: 64_000_000 });
      const shell = await openShell(runtime, { buffer_bytes: size + 1024 });
      await shell.run('echo 0123456789');
      const running = shell.run(`head -c ${size} /dev/urandom | tee copy; echo`);
      const [early, late] = await Promise.all([
        readAll(runtime, shell.id, { after: 0, to: 11 + size }),
        readAll(runtime, shell.id, { after: 11 + size / 2, to: 11 + size }).catch((error) => {
          // A cursor beyond the end is refused; this reader retries after the command.
          if (error.code !== 'INVALID_PARAMS') throw error;
          return running.then(() => readAll(runtime, shell.id, { after: 11 + size / 2, to: 11 + size }));
        }),
      ]);
      const { stdout } = await shell.run('sha256sum < copy');
      expect(sha256(early.subarray(11, 11 + size))).toBe(stdout.data.slice(0, 64));
      expect(late.subarray(0, size / 2).equals(early.subarray(11 + size / 2, 11 + size))).toBe(true);
    });

    test('a program without readers does not block, and memory use stays constant', async () => {
      const runtime = openRuntime();
      const shell = await openShell(runtime);
      const size = proofSize({ small: 60_000_000, full: 1_000_000_000 });
      await shell.run(`head -c ${size} /dev/zero >/dev/stdout`, { max_output_bytes: 0 });
      global.gc?.();
      const before = process.memoryUsage().rss;
      const { exit_code, stdout } = await shell.run(`head -c ${size} /dev/zero`, { max_output_bytes: 0 });
      expect({ exit_code, bytes: stdout.to - stdout.from }).toEqual({ exit_code: 0, bytes: size });
      expect(process.memoryUsage().rss - before).toBeLessThan(40_000_000);
      const { streams } = await shell.info();
      expect(streams.stdout).toEqual({ start: 2 * size - 1_048_576, end: 2 * size, closed: false });
    });

    test('a slow reader of a stream gets all bytes if the command waits for it, and the gaps otherwise', async () => {
      const runtime = openRuntime();
      const shell = await openShell(runtime, { buffer_bytes: 262_144 });
      const size = 8_000_000;
      const stream = async (when_behind: 'skip' | 'wait') => {
        const { end: begin } = (await shell.info()).streams.stdout!;
        const counted = { got: 0, missed: 0 };
        let next = begin;
        const done = path.join(runtime.workspace, `done-${when_behind}`);
        const command = `head -c ${size} /dev/zero; : >${done}`;
        await runtime.call('exec.stream', { session_id: shell.id, command, when_behind }, async (output) => {
          const bytes = Buffer.byteLength(output.data, output.encoding);
          counted.missed += output.from - next;
          counted.got += bytes;
          next = output.from + bytes;
          // The slowest reader: it takes the next piece only after the command has printed everything.
          if (when_behind === 'skip') await until(() => fs.existsSync(done));
          else await new Promise((resolve) => setTimeout(resolve, 5));
        });
        expect(next - begin).toBe(size);
        expect(counted.got + counted.missed).toBe(size);
        return counted;
      };
      expect(await stream('wait')).toEqual({ got: size, missed: 0 });
      expect((await stream('skip')).missed).toBeGreaterThan(0);
    });

    test('a waiting reader returns at the first byte, or at its deadline', async () => {
      const runtime = openRuntime();
      const shell = await openShell(runtime);
      const waiting = runtime.call('session.read', { session_id: shell.id, wait_ms: 60_000 });
      await shell.run('printf ä');
      expect(await waiting).toMatchObject({ data: 'ä', encoding: 'utf8', next: 2 });
      const nothing = await runtime.call('session.read', { session_id: shell.id, after: 2, wait_ms: 30 });
      expect(nothing).toMatchObject({ data: '', next: 2, closed: false });
    });
  });
});
