import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { stopDaemon, withPlaces } from '../acceptance/runtime/places.ts';

const places = withPlaces({ container: true });
const COPY = /^tacho-[0-9a-f]{16}$/;
const LENGTH = 4_000_000;

/** A container without tacho, created with these options, and a local daemon that uses it. */
function bareBox(...options: string[]) {
  const { container, here } = places;
  const name = container.startAnother(...options);
  const settings = { ...container.settings, container: name, program: 'tacho-not-there', workspace: '/work' };
  const say = () =>
    here({ container: { bare: settings } }).call('exec.run', { target: 'container:bare', command: 'echo hi' });
  const filesIn = (folder: string) =>
    container.inside(name, 'sh', '-c', `ls ${folder} 2> /dev/null || true`).split('\n').filter(Boolean);
  return { say, filesIn };
}

describe('a target without tacho gets a copy of the single executable', () => {
  test('once, accessible only to its user; an incomplete copy is never used', async () => {
    const { folder, ssh, here, program } = places;
    const workspace = path.join(folder, 'bare');
    fs.mkdirSync(workspace);
    // Just long enough to be interrupted.
    const single_file = path.join(folder, 'long');
    fs.writeFileSync(single_file, fs.readFileSync(program, 'utf8').padEnd(LENGTH, '#'), { mode: 0o755 });
    const bare = { ...ssh.settings, program: 'tacho-not-there', workspace };
    const client = here({ single_file, ssh: { bare } });
    const bin = path.join(ssh.folder, 'cache', 'tacho', 'bin');
    const copies = () => (fs.existsSync(bin) ? fs.readdirSync(bin) : []);
    const say = () => client.call('exec.run', { target: 'ssh:bare', command: 'echo hi' });
    const connectAgain = () => {
      ssh.cut();
      return client.call('file.stat', { target: 'ssh:bare', path: '.' });
    };

    ssh.cutAfter(LENGTH / 2);
    await expect(say()).rejects.toMatchObject({
      code: 'TARGET_UNREACHABLE',
      message: 'ssh:bare: the connection was lost while tacho was copied',
    });
    expect(fs.existsSync(bin)).toBe(true);
    await expect.poll(copies).toEqual([]);
    expect((await say()).stdout.data).toBe('hi\n');
    expect(copies()).toEqual([expect.stringMatching(COPY)]);
    const copy = path.join(bin, copies()[0]!);
    const { mode, size, ino } = fs.statSync(copy);
    expect([mode, size]).toEqual([0o100700, LENGTH]);
    await connectAgain();
    expect(fs.statSync(copy).ino).toBe(ino);

    // An incomplete file of another process under the right name.
    const half = fs.readFileSync(copy).subarray(0, size / 2);
    fs.rmSync(copy);
    fs.writeFileSync(copy, half, { mode: 0o700 });
    await connectAgain();
    expect(fs.statSync(copy).size).toBe(size);
    expect(copies()).toEqual([path.basename(copy)]);
    await stopDaemon(workspace);
  });

  test('from two daemons at once, and both use it', async () => {
    const { say, filesIn } = bareBox();
    const both = await Promise.all([say(), say()]);
    expect(both.map(({ stdout }) => stdout.data)).toEqual(['hi\n', 'hi\n']);
    expect(filesIn('/root/.cache/tacho/bin')).toEqual([expect.stringMatching(COPY)]);
  });

  test('in the temporary folder if the home is not writable', async () => {
    const { say, filesIn } = bareBox('--read-only', '--tmpfs', '/work', '--tmpfs', '/tmp:exec');
    expect((await say()).stdout.data).toBe('hi\n');
    expect(filesIn('/tmp/tacho-0/bin')).toEqual([expect.stringMatching(COPY)]);
    expect(filesIn('/root/.cache')).toEqual([]);
  });

  test('or an error about a full disk, with no files left on it', async () => {
    const { say, filesIn } = bareBox('--tmpfs', '/root:size=20m,exec', '--tmpfs', '/tmp:size=20m,exec');
    await expect(say()).rejects.toMatchObject({
      code: 'COMMAND_UNAVAILABLE',
      message: expect.stringMatching(/^tacho could not be copied to the target: .*No space left.*; .*No space left/s),
      fix: expect.stringContaining('Make room'),
    });
    expect(filesIn('/root/.cache/tacho/bin')).toEqual([]);
    expect(filesIn('/tmp/tacho-0/bin')).toEqual([]);
  });
});
