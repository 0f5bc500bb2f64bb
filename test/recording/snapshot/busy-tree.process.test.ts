import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { diffFs } from '../../../src/recording/snapshot/fs-diff.ts';
import { entriesOf } from '../../../src/recording/snapshot/fs-entry.ts';
import { type Snapshot, snapshotFs } from '../../../src/recording/snapshot/snapshot.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Saves, renames, removes and replaces files without pause. Every file repeats its first byte 4,000 times. */
const BUSY_PROGRAM = `
  const fs = require('node:fs');
  let round = 0;
  process.stdout.write('ready\\n');
  // A file of an earlier round may exist or be missing; any other error ends the program, and so the test.
  const left = ['EEXIST', 'ENOENT', 'ERR_FS_EISDIR'];
  const attempt = (action) => { try { action(); } catch (error) { if (!left.includes(error.code)) throw error; } };
  for (;;) {
    const folder = 'folder-' + (round % 7), letter = String.fromCharCode(97 + (round % 26));
    attempt(() => fs.mkdirSync(folder));
    attempt(() => { fs.writeFileSync('new-' + letter, letter.repeat(4000)); fs.renameSync('new-' + letter, folder + '/saved'); });
    attempt(() => fs.renameSync(folder + '/saved', folder + '/moved-' + (round % 5)));
    attempt(() => fs.symlinkSync('x', folder + '/swap'));
    attempt(() => fs.rmSync(folder + '/swap'));
    attempt(() => fs.mkdirSync(folder + '/swap'));
    if (round % 3 === 0) attempt(() => fs.rmSync(folder, { recursive: true }));
    round++;
  }`;

describe('a tree that changes while it is read', () => {
  it('gives snapshots without errors, in which every hash belongs to a content that existed', async () => {
    const root = temporaryFolder();
    const program = spawn(process.execPath, ['-e', BUSY_PROGRAM], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(program.stdout, 'data');
    const known = new Set<string | null>([null, hashOf('')]);
    for (let letter = 97; letter < 123; letter++) known.add(hashOf(String.fromCharCode(letter).repeat(4_000)));
    let previous: Snapshot | null = null;
    let seen = 0;
    try {
      // At first there may be few files: the program needs CPU time.
      for (let round = 0; round < 150 || seen <= 150; round++) {
        const snapshot: Snapshot = await snapshotFs(root, [], { previous });
        for (const entry of entriesOf(snapshot)) {
          seen++;
          // A name that changed on each of four tries, or a replaced folder, is reported as stale.
          if (entry.error !== undefined) expect(['ESTALE', 'ENOTDIR', 'ELOOP']).toContain(entry.error);
          else if (!entry.changed_while_read) expect(known).toContain(entry.sha256);
        }
        if (previous) diffFs(previous, snapshot);
        previous = snapshot;
      }
    } finally {
      program.kill('SIGKILL');
      await once(program, 'exit');
    }
  });
});

function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}
