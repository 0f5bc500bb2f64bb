import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { probeBubblewrap } from '../../../src/sandbox/index.ts';
import { leftSleeping, OUTLIVING_WAYS, uniqueSeconds } from '../../acceptance/containment/outliving-ways.ts';
import { proofSize } from '../../support/proof-size.ts';
import { until } from '../../support/tacho.ts';
import { openForTest } from './opened.ts';

const works = 'program' in (await probeBubblewrap('off'));
const profiles = works ? (['none', 'balanced'] as const) : (['none'] as const);

describe.each(profiles)('a command with the profile %s', (profile) => {
  test('returns output, exit code and input as they are', async () => {
    const { run } = await openForTest(profile);
    const script = 'cat; echo problem >&2; printf "\\377\\000"; exit 7';
    const result = await run(['sh', '-c', script], { input: 'line\n' });
    expect(result).toMatchObject({ exitCode: 7, signal: null, timedOut: false, cancelled: false, truncated: false });
    expect(result.stdout).toEqual(Buffer.from('line\n\xff\x00', 'latin1'));
    expect(result.stderr.toString()).toBe('problem\n');
    expect([result.stdoutBytes, result.stderrBytes]).toEqual([7, 8]);
  });

  test('passes arguments without a shell', async () => {
    const { run } = await openForTest(profile);
    const words = ['$HOME', '`id`', 'a b', '*', "'", '', '-n'];
    expect((await run(['printf', '[%s]', ...words])).stdout.toString()).toBe(words.map((word) => `[${word}]`).join(''));
  });

  test('has no more environment and descriptors than it was given', async () => {
    const { run } = await openForTest(profile);
    process.env.TACHO_TEST_SECRET = 'of the host';
    try {
      const program = 'print join(" ", sort keys %ENV), "\\n"; open($_, "<&=", $_) and print "$_ " for 0 .. 200';
      const { stdout } = await run(['perl', '-e', program], { env: { GIVEN: 'yes' } });
      const [variables, descriptors] = stdout.toString().split('\n');
      expect(variables!.split(' ').filter((name) => name !== 'PWD')).toEqual([
        'GIVEN',
        'HOME',
        'LANG',
        'PATH',
        'TACHO_MARKER',
        'TERM',
      ]);
      expect(descriptors!.trim().split(' ').slice(0, 3)).toEqual(['0', '1', '2']);
      // Perl may hold descriptors of its own: the script, or a source of randomness.
      expect(descriptors!.trim().split(' ').length).toBeLessThanOrEqual(4);
    } finally {
      delete process.env.TACHO_TEST_SECRET;
    }
  });

  test('leaves nothing behind that tries to outlive it', async () => {
    const { bash } = await openForTest(profile, { lingerMs: 20, killGraceMs: 100 });
    const left: string[] = [];
    for (const [way, script] of Object.entries(OUTLIVING_WAYS)) {
      const seconds = uniqueSeconds();
      // The output is closed, so that nothing is waited for.
      await bash(`T=${seconds}\n{ ${script}\n} >/dev/null 2>&1`);
      if (leftSleeping(seconds).length > 0) left.push(way);
    }
    expect(left).toEqual([]);
  });

  test('keeps the beginning and the end of long output, whole characters only', async () => {
    const { run } = await openForTest(profile);
    const program = 'print "é" x 5000; print STDERR "short"';
    const result = await run(['perl', '-e', program], { maxOutputBytes: 101 });
    expect(result).toMatchObject({ truncated: true, stdoutBytes: 10_000, stderrBytes: 5 });
    const { at, bytes } = result.omitted.stdout!;
    expect(result.stdout.length + bytes).toBe(10_000);
    expect(result.stdout.toString()).toBe('é'.repeat(result.stdout.length / 2));
    expect(at).toBe(50);
    expect(result.omitted.stderr).toBe(null);
  });

  test('needs little memory for a lot of output', async () => {
    const { run } = await openForTest(profile);
    const megabytes = proofSize({ small: 40, full: 100 });
    await run(['true']);
    let most = 0;
    const before = process.memoryUsage.rss();
    const sampling = setInterval(() => (most = Math.max(most, process.memoryUsage.rss() - before)), 5);
    const result = await run(['head', '-c', String(megabytes * 1024 * 1024), '/dev/zero']);
    clearInterval(sampling);
    expect(result).toMatchObject({ exitCode: 0, stdoutBytes: megabytes * 1024 * 1024, truncated: true });
    expect(result.stdout.length).toBe(1024 * 1024);
    expect(most).toBeLessThan(24 * 1024 * 1024);
  });

  test('keeps its output when the time is over, and leaves no process behind', async () => {
    const { bash } = await openForTest(profile, { killGraceMs: 100 });
    const [own, apart] = [uniqueSeconds(), uniqueSeconds()];
    const script = `echo before; trap '' TERM; (setsid env -i sleep ${apart} >/dev/null 2>&1 &); sleep ${own}; sleep ${own}`;
    const result = await bash(script, { timeoutMs: 2000 });
    expect(result).toMatchObject({ timedOut: true, cancelled: false });
    expect(result.exitCode).not.toBe(0);
    expect(result.stdout.toString()).toBe('before\n');
    expect([...leftSleeping(own), ...leftSleeping(apart)]).toEqual([]);
  });

  test('ends when it is cancelled, and leaves no process behind', async () => {
    const { run, workspace } = await openForTest(profile, { killGraceMs: 100 });
    const [own, apart] = [uniqueSeconds(), uniqueSeconds()];
    const cancelling = new AbortController();
    const script = `(setsid sleep ${apart} &); echo began; touch began; sleep ${own}`;
    const running = run(['bash', '-c', script], {}, cancelling.signal);
    await until(() => fs.existsSync(path.join(workspace, 'began')));
    cancelling.abort();
    const result = await running;
    expect(result).toMatchObject({ timedOut: false, cancelled: true });
    expect(result.stdout.toString()).toBe('began\n');
    expect([...leftSleeping(own), ...leftSleeping(apart)]).toEqual([]);
  });

  test('does not start when it was cancelled before', async () => {
    const { run, workspace } = await openForTest(profile);
    const result = await run(['touch', 'file'], {}, AbortSignal.abort());
    expect(result).toMatchObject({ cancelled: true, exitCode: null, signal: null });
    expect(fs.readdirSync(workspace)).toEqual([]);
  });

  test('is over when its program is, whatever holds its output open', async () => {
    const { bash } = await openForTest(profile, { lingerMs: 50, killGraceMs: 100 });
    const [plain, apart] = [uniqueSeconds(), uniqueSeconds()];
    const { stdout, exitCode } = await bash(`sleep ${plain} & setsid sleep ${apart} & echo done`);
    expect([stdout.toString(), exitCode]).toEqual(['done\n', 0]);
    expect([...leftSleeping(plain), ...leftSleeping(apart)]).toEqual([]);
  });

  test('does not wait for a program that never reads its input', async () => {
    const { run } = await openForTest(profile);
    const result = await run(['true'], { input: 'x'.repeat(4 * 1024 * 1024) });
    expect(result).toMatchObject({ exitCode: 0, timedOut: false });
  });

  test('reports what cannot be started as a shell would', async () => {
    const { run, workspace } = await openForTest(profile);
    fs.writeFileSync(path.join(workspace, 'text'), 'no program', { mode: 0o644 });
    expect(await run(['no-such-program'])).toMatchObject({ exitCode: 127, timedOut: false });
    expect((await run(['no-such-program'])).stderr.toString()).toContain('no-such-program');
    expect((await run(['./text'])).exitCode).toBeGreaterThanOrEqual(126);
    expect((await run([])).exitCode).toBe(126);
    expect((await run(['echo', 'a\0b'])).exitCode).toBe(126);
    expect((await run(['true'], { env: { 'A=B': 'x' } })).exitCode).toBe(126);
  });

  test('says why it cannot work in a folder', async () => {
    const { outcome, workspace } = await openForTest(profile);
    const missing = path.join(workspace, 'missing');
    expect(await outcome(['true'], { cwd: missing })).toEqual({ denied: `${missing} is not a folder` });
  });

  test('runs beside others', async () => {
    const { bash } = await openForTest(profile);
    const results = await Promise.all([...'abcdefgh'].map((letter) => bash(`echo ${letter}; (sleep 0.1 &); exit 3`)));
    expect(results.map(({ stdout, exitCode }) => `${stdout.toString()}${exitCode}`)).toEqual(
      [...'abcdefgh'].map((letter) => `${letter}\n3`),
    );
  });
});

describe('a sandboxed command', () => {
  test('cannot change the programs outside by its environment', async () => {
    if (!works) return;
    const { run } = await openForTest('balanced');
    const { stderr } = await run(['true'], { env: { LD_PRELOAD: '/no/such/library.so' } });
    // The loader complains once for each program that has the variable: this one only.
    expect(stderr.toString().match(/library\.so/g)).toHaveLength(1);
  });

  test('does not show its variables in a command line', async () => {
    if (!works) return;
    const { bash, workspace } = await openForTest('balanced');
    const secret = `secret-${process.pid}-value`;
    const running = bash('touch began; until [ -e go ]; do sleep 0.02; done; echo "$TOKEN"', {
      env: { TOKEN: secret },
    });
    await until(() => fs.existsSync(path.join(workspace, 'began')));
    const lines = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
    fs.writeFileSync(path.join(workspace, 'go'), '');
    expect((await running).stdout.toString()).toBe(`${secret}\n`);
    expect(lines).toContain('bwrap');
    expect(lines).not.toContain(secret);
  });

  test('sees its own temporary folder', async () => {
    if (!works) return;
    const { bash, workspace } = await openForTest('balanced');
    const { stdout } = await bash('echo $TMPDIR; mktemp -d | cut -c1-5', { env: { TMPDIR: workspace } });
    expect(stdout.toString()).toBe('/tmp\n/tmp/\n');
  });

  test('leaves no placeholder in the workspace', async () => {
    if (!works) return;
    const { bash, workspace } = await openForTest('prod');
    expect((await bash('echo made >file; ls -A | wc -l')).exitCode).toBe(0);
    expect(fs.readdirSync(workspace)).toEqual(['file']);
  });
});
