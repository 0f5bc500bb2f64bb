import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { TachoError } from '../../src/protocol/index.ts';
import { proofSize } from '../support/proof-size.ts';
import {
  agent,
  inParallel,
  openDescriptors,
  runTerminal,
  startTerminal,
  temporaryFolder,
  until,
} from './run-terminal.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

let descriptorsBefore = 0;

beforeAll(async () => {
  await inParallel([1, 2, 3, 4], 4, async () => void (await runTerminal(['true'])));
  descriptorsBefore = openDescriptors().length;
});

describe('how the command ended', () => {
  test('every exit code from 0 to 255 is reported', async () => {
    const all = Array.from({ length: 256 }, (_, code) => code);
    const codes = proofSize({ small: [0, 1, 2, 77, 126, 127, 128, 129, 137, 143, 254, 255], full: all });
    const seen = new Map<number, unknown>();
    await inParallel(codes, 8, async (code) => {
      const { exitCode, signal, drained } = await runTerminal(['/bin/sh', '-c', `exit ${code}`]);
      seen.set(code, { exitCode, signal, drained });
    });
    for (const code of codes) expect(seen.get(code)).toEqual({ exitCode: code, signal: null, drained: true });
  });

  test('every signal that can kill a program is reported by name', async () => {
    // Without signals that stop, continue or are ignored by default, and SIGHUP, which recorded programs ignore.
    const harmless = ['SIGCHLD', 'SIGCONT', 'SIGSTOP', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU', 'SIGURG', 'SIGWINCH', 'SIGHUP'];
    const numbers = new Map(Object.entries(os.constants.signals).map(([name, number]) => [number, name]));
    for (const name of harmless) numbers.delete(os.constants.signals[name as NodeJS.Signals]);
    expect(numbers.size).toBeGreaterThan(20);
    await inParallel([...numbers.keys()], 4, async (number) => {
      const { exitCode, signal } = await runTerminal(['/bin/sh', '-c', `ulimit -c 0; kill -${number} $$`], {
        cwd: temporaryFolder(),
      });
      expect(exitCode, `signal ${number}`).toBeNull();
      expect(os.constants.signals[signal!]).toBe(number);
    });
  });

  test('a hang-up ends an interactive shell but not a recorded command', async () => {
    const hangUp = ['/bin/sh', '-c', 'kill -HUP $$; exit 3'];
    expect(await runTerminal(hangUp)).toMatchObject({ exitCode: 3, signal: null });
    expect(await runTerminal(hangUp, { mode: 'merged' })).toMatchObject({ exitCode: null, signal: 'SIGHUP' });
  });

  test('a missing command ends with 127, one that is not executable with 126', async () => {
    const missing = await runTerminal(['no-such-command-anywhere']);
    expect(missing).toMatchObject({ exitCode: 127, signal: null });
    expect(missing.b.toString()).toContain('no-such-command-anywhere');
    const file = path.join(temporaryFolder(), 'plain');
    fs.writeFileSync(file, 'text', { mode: 0o644 });
    expect(await runTerminal([file])).toMatchObject({ exitCode: 126, signal: null });
  });

  test('the pid is the command’s own, and it leads its own session', async () => {
    const running = startTerminal(['/bin/sh', '-c', 'echo $$; ps -o sid= -p $$']);
    await running.terminal.ended;
    expect(
      running
        .text()
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual([`${running.terminal.pid}`, `${running.terminal.pid}`, '']);
  });

  test('a command line that is too long or contains a NUL, or a missing folder, fails and leaves nothing open', async () => {
    await runTerminal(['true']);
    const before = openDescriptors().length;
    expect(() => startTerminal(['echo', 'x'.repeat(3_000_000)])).toThrow(TachoError);
    expect(() => startTerminal(['echo', 'x\0y'])).toThrow(TachoError);
    const lost = startTerminal(['true'], { cwd: '/no/such/folder' });
    await expect(lost.terminal.exited).rejects.toMatchObject({ code: 'TERMINAL_FAILED' });
    await expect(lost.terminal.ended).rejects.toMatchObject({ code: 'TERMINAL_FAILED' });
    expect(await lost.terminal.kill(0)).toBe(0);
    await until(() => openDescriptors().length <= before, 'every descriptor closed');
  });

  test('arguments arrive exactly, also when they look like options', async () => {
    const argv = ['-n', '--', "it's", 'a "b" $c `d`', '', 'line\nfeed', '\\', 'ünïcødé'];
    const { a } = await runTerminal([
      'node',
      '-e',
      'process.stdout.write(JSON.stringify(process.argv.slice(1)))',
      '--',
      ...argv,
    ]);
    expect(JSON.parse(a.toString())).toEqual(argv);
    const optionLike = path.join(temporaryFolder(), '-c');
    fs.writeFileSync(optionLike, '#!/bin/sh\necho ran', { mode: 0o755 });
    const ran = await runTerminal(['-c'], { env: { PATH: `${path.dirname(optionLike)}:${process.env.PATH}` } });
    expect(ran.a.toString()).toBe('ran\n');
  });
});

describe('the terminals', () => {
  test('all three descriptors are terminals of the right size, with a separate one for stderr', async () => {
    const running = startTerminal(['bash', agent('describe-terminal.sh')], { cols: 101, rows: 37 });
    await running.terminal.ended;
    const { a, b } = running.terminal.devices;
    expect(running.text().trimEnd().split('\n')).toEqual([
      `0 tty=yes size=37 101 device=${a}`,
      `1 tty=yes size=37 101 device=${a}`,
      `2 tty=yes size=37 101 device=${b}`,
      `controlling=${a.slice('/dev/'.length)} session=${running.terminal.pid} pid=${running.terminal.pid}`,
    ]);
    expect(a).not.toBe(b);
  });

  test('in merged mode there is one terminal, which translates line feeds', async () => {
    const running = startTerminal(['bash', agent('describe-terminal.sh')], { mode: 'merged' });
    await running.terminal.ended;
    const { a, b } = running.terminal.devices;
    expect(a).toBe(b);
    expect(running.text().match(/device=\S+/g)).toEqual(Array(3).fill(`device=${a}`));
    expect(running.text()).toMatch(/\r\n$/);
  });

  test('a resize reaches the program as SIGWINCH, with the new size on both terminals', async () => {
    const running = startTerminal(['node', agent('report-resize.mjs')]);
    await running.printed('80,24 80,24\n');
    running.terminal.resize(132, 50);
    await running.printed('132,50 132,50\n');
    running.terminal.resize(10, 5);
    await running.printed('10,5 10,5\n');
    await running.terminal.write(Buffer.from('\n'));
    expect(await running.terminal.ended).toMatchObject({ exitCode: 0 });
    expect(running.text()).not.toContain('132,50 80,24');
    running.terminal.resize(80, 24); // No effect after the end, and no error.
  });

  test('an interactive shell in merged mode has job control and prints no warning', async () => {
    const running = startTerminal(['bash', '--norc', '-i'], { mode: 'merged', echo: true });
    await running.terminal.write(Buffer.from('sleep 100 &\njobs; kill %1; wait; echo "state $-"\nexit 4\n'));
    expect(await running.terminal.ended).toMatchObject({ exitCode: 4, drained: true });
    expect(running.text()).not.toMatch(/no job control|Inappropriate ioctl|cannot set terminal process group/);
    expect(running.text()).toMatch(/\[1\]\+?\s+Running\s+sleep 100/);
    expect(running.text()).toMatch(/state \S*m/);
  });

  test('typed input is echoed only on request', async () => {
    const typed = async (echo: boolean) =>
      (
        await runTerminal(['sh', '-c', 'echo ready; read -r line; echo "got $line"'], { echo }, async (running) => {
          await running.printed('ready\n');
          await running.terminal.write(Buffer.from('hello\n'));
        })
      ).a.toString();
    expect(await typed(false)).toBe('ready\ngot hello\n');
    expect(await typed(true)).toBe('ready\nhello\ngot hello\n');
  });

  test('the program needs nothing on its own PATH to be started', async () => {
    expect((await runTerminal(['/bin/echo', 'hello'], { env: { PATH: '/nowhere' } })).a.toString()).toBe('hello\n');
  });

  test('the environment has the given variables, the marker, and those a shell always adds', async () => {
    const { a } = await runTerminal(['/usr/bin/env', '-0'], { env: { ONE: '1', TWO: 'a b\nc' }, marker: 'the-marker' });
    const entries = a.toString().split('\0').filter(Boolean);
    expect(entries.filter((entry) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(entry)).sort()).toEqual([
      'ONE=1',
      'TACHO_MARKER=the-marker',
      'TWO=a b\nc',
    ]);
  });
});

describe('the output', () => {
  test('no byte of a fast command is lost, however many run at once', async () => {
    const runs = Array.from({ length: proofSize({ small: 40, full: 10_000 }) }, (_, run) => run);
    const expected = Buffer.alloc(20_480, 'x');
    let short = 0;
    await inParallel(runs, 8, async () => {
      const { a, b, exitCode } = await runTerminal([
        '/bin/sh',
        '-c',
        'head -c 20480 /dev/zero | tr "\\0" x; printf end >&2',
      ]);
      if (!a.equals(expected) || b.toString() !== 'end' || exitCode !== 0) short++;
    });
    expect(short).toBe(0);
  });

  test('5 MB of random bytes are unchanged on either stream', async () => {
    const file = path.join(temporaryFolder(), 'random');
    const bytes = randomBytes(5_000_000);
    fs.writeFileSync(file, bytes);
    const { a, b, outputProcessingRestored } = await runTerminal(['sh', '-c', `cat ${file} & cat ${file} >&2; wait`]);
    expect([a.length, sha256(a)]).toEqual([bytes.length, sha256(bytes)]);
    expect([b.length, sha256(b)]).toEqual([bytes.length, sha256(bytes)]);
    expect(outputProcessingRestored).toBe(false);
  });

  test('pausing is real backpressure: the program waits and our memory stays flat', async () => {
    const written = path.join(temporaryFolder(), 'written');
    const running = startTerminal(['node', agent('write-much.mjs'), '40', written]);
    await running.printed('x');
    running.terminal.pause();
    const memory = process.memoryUsage().rss;
    // The program is blocked when its count no longer changes.
    let [count, still] = [-1, 0];
    await until(() => {
      const now = fs.existsSync(written) ? Number(fs.readFileSync(written, 'utf8')) : 0;
      still = now === count ? still + 1 : 0;
      count = now;
      return still > 20;
    }, 'the program is blocked');
    const recorded = running.output().length;
    expect(count * 65_536 - recorded).toBeLessThan(300_000);
    expect(count).toBeLessThan(640);
    expect(process.memoryUsage().rss - memory).toBeLessThan(20_000_000);
    running.terminal.resume();
    expect(await running.terminal.ended).toMatchObject({ exitCode: 0, drained: true });
    expect(running.output().length).toBe(40 * 1024 * 1024);
  });

  test('a repeatedly paused reader loses nothing and buffers nothing', async () => {
    const before = process.memoryUsage().rss;
    let received = 0;
    const running = startTerminal(['sh', '-c', 'head -c 30000000 /dev/zero'], {
      onOutput: (_, bytes) => {
        received += bytes.length;
        if (received % 7 !== 0) return;
        running.terminal.pause();
        setImmediate(() => running.terminal.resume());
      },
    });
    await running.terminal.ended;
    expect(received).toBe(30_000_000);
    // The helper keeps the bytes; the terminal must not keep a copy.
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  });

  test('a program that prints 1 MB and exits while the reader is paused loses nothing', async () => {
    const running = startTerminal(['sh', '-c', 'head -c 1000000 /dev/zero | tr "\\0" y & wait']);
    running.terminal.pause();
    await until(() => running.terminal.pid > 0, 'started');
    setTimeout(() => running.terminal.resume(), 200);
    expect(await running.terminal.ended).toMatchObject({ exitCode: 0, drained: true });
    expect(running.output().equals(Buffer.alloc(1_000_000, 'y'))).toBe(true);
  });

  test('output that fits into the terminal is kept if the program ends before it is read', async () => {
    const running = startTerminal(['sh', '-c', 'read -r go; printf %04000d 7; printf %04000d 8 >&2']);
    await running.terminal.write(Buffer.from('go\n'));
    running.terminal.pause();
    await running.terminal.exited;
    running.terminal.resume();
    expect(await running.terminal.ended).toMatchObject({ drained: true });
    expect([running.text('a'), running.text('b')]).toEqual(['7'.padStart(4000, '0'), '8'.padStart(4000, '0')]);
  });

  test('input that the program never reads blocks nothing', async () => {
    const running = startTerminal(['sh', '-c', 'sleep 0.2']);
    const written = running.terminal.write(Buffer.alloc(1_000_000, 'z'));
    expect(await running.terminal.ended).toMatchObject({ exitCode: 0, drained: true });
    await written;
    await running.terminal.write(Buffer.from('too late'));
  });
});

describe('descriptors', () => {
  test('the program inherits its three terminals and nothing of ours', async () => {
    const inherited = fs.openSync('/dev/null', 'r');
    try {
      const { a } = await runTerminal(['sh', '-c', 'ls -l /proc/self/fd | sed -n "s/.* \\([0-9]*\\) -> .*/\\1/p"']);
      // 3 is the folder that ls reads.
      expect(a.toString().trim().split('\n').sort()).toEqual(['0', '1', '2', '3']);
    } finally {
      fs.closeSync(inherited);
    }
  });

  test('hundreds of terminals leave no descriptor open', async () => {
    await until(() => openDescriptors().length <= descriptorsBefore, 'every descriptor closed');
  });
});

test.each([
  ['echo a', true],
  ['stty -onlcr; echo a', false],
])('after %j it is still known whether the display must translate line feeds', async (script, translates) => {
  const { terminal } = startTerminal(['sh', '-c', script]);
  await terminal.ended;
  expect(terminal.closed).toBe(true);
  expect(terminal.expectsNewlineTranslation()).toBe(translates);
});
