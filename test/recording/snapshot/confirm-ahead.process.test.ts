import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { confirmAhead } from '../../../src/recording/snapshot/confirm-ahead.ts';
import { entriesOf } from '../../../src/recording/snapshot/fs-entry.ts';
import { type Snapshot, snapshotFs } from '../../../src/recording/snapshot/snapshot.ts';
import { proofSize } from '../../support/proof-size.ts';
import { settle, temporaryFolder, write } from './temporary-folder.ts';

const run = promisify(execFile);

/** Enough entries for the helper thread to start. */
function manyFiles(root: string): void {
  for (let folder = 0; folder < 100; folder++) {
    fs.mkdirSync(path.join(root, `folder-${folder}`));
    for (let file = 0; file < 10; file++) fs.writeFileSync(`${root}/folder-${folder}/${file}`, `${file}`);
    // Links count like files, and are quicker to create.
    for (let link = 0; link < 200; link++) fs.symlinkSync(`${link}`, `${root}/folder-${folder}/link-${link}`);
  }
}

/** The helper's answer for each directory once it has checked all: from the last one to `same`, which is put first. */
async function confirmed(snapshot: Snapshot): Promise<string[]> {
  const directories = new Map([['same', snapshot.directories.get('same')!], ...snapshot.directories]);
  for (let wait = 50; ; wait *= 2) {
    const ahead = confirmAhead({ ...snapshot, directories, entryCount: 20_000 }, snapshot.root)!;
    await new Promise((resolve) => setTimeout(resolve, wait));
    const isDone = ahead.confirms('same');
    const paths = [...directories.keys()].filter((path) => ahead.confirms(path));
    ahead.stop();
    if (isDone) return paths;
  }
}

describe('the helper thread', () => {
  it('confirms the unchanged directories, and no others', async () => {
    const root = temporaryFolder();
    for (const file of ['same/file', 'same/sub/file', 'written/file', 'added/file', 'removed/file', 'gone/file']) {
      write(root, file, 'content');
    }
    fs.mkdirSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff])]));
    await settle();
    const snapshot = await snapshotFs(root);
    write(root, 'written/file', 'CONTENT');
    write(root, 'added/new', '');
    fs.rmSync(path.join(root, 'removed/file'));
    fs.rmSync(path.join(root, 'gone'), { recursive: true });
    expect((await confirmed(snapshot)).sort()).toEqual(['same', 'same/sub', '\xff']);
  });

  it('is not started for a small tree', async () => {
    const root = temporaryFolder();
    expect(confirmAhead(await snapshotFs(root), root)).toBeNull();
  });

  it('gives the same large snapshot as one without a previous snapshot', async () => {
    const root = temporaryFolder();
    manyFiles(root);
    await settle();
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    let previous = await snapshotFs(root);
    clearInterval(timer);
    expect(turns, 'turns of the event loop meanwhile').toBeGreaterThan(1);
    for (let round = 0; round < proofSize({ small: 1, full: 2 }); round++) {
      write(root, `folder-${round * 9}/5`, `round ${round}`);
      fs.rmSync(path.join(root, `folder-${99 - round}`), { recursive: true });
      write(root, `folder-50/new-${round}/file`, 'new');
      const incremental = await snapshotFs(root, [], { previous });
      expect(Array.from(entriesOf(incremental))).toEqual(Array.from(entriesOf(await snapshotFs(root))));
      previous = incremental;
    }
  });

  it('also works from a bundle, minified or not', async () => {
    const root = temporaryFolder();
    for (const file of ['same/file', 'changed/file']) write(root, file, 'content');
    // Inside the project, where the bundle finds its dependencies like the published one.
    const folder = fs.mkdtempSync(path.resolve('node_modules/.tacho-bundle-'));
    try {
      const entry = write(folder, 'entry.ts', bundledProgram());
      for (const options of [[], ['--minify'], ['--keep-names']]) {
        const outfile = path.join(folder, 'bundle.mjs');
        const settings = ['--bundle', '--platform=node', '--format=esm', '--packages=external', '--log-level=warning'];
        // A process that ends: esbuild's service would stay a child of this process.
        await run(path.resolve('node_modules/.bin/esbuild'), [entry, `--outfile=${outfile}`, ...settings, ...options]);
        const { stdout } = await run(process.execPath, [outfile, root]);
        expect(JSON.parse(stdout)).toEqual(['', 'changed', 'same']);
      }
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
});

function bundledProgram(): string {
  const source = path.resolve('src/recording/snapshot');
  return `
    import { confirmAhead } from '${source}/confirm-ahead.ts';
    import { snapshotFs } from '${source}/snapshot.ts';
    const root = process.argv[2];
    const snapshot = await snapshotFs(root);
    let confirmed = [];
    for (let wait = 50; wait < 60000 && confirmed.length === 0; wait *= 2) {
      const ahead = confirmAhead({ ...snapshot, entryCount: 20000 }, root);
      await new Promise((resolve) => setTimeout(resolve, wait));
      // The root comes last.
      if (ahead.confirms('')) confirmed = [...snapshot.directories.keys()].filter((path) => ahead.confirms(path));
      ahead.stop();
    }
    console.log(JSON.stringify(confirmed.sort()));
  `;
}
