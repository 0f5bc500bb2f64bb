import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Snapshot, snapshotFs } from '../src/recording/snapshot/snapshot.ts';
import { writeSnapshot } from '../src/recording/snapshot/snapshot-file.ts';
import type { Row } from './row.ts';

export const name = 'snapshot';
export const goal = '≤ 1× git status';
export const about =
  'A tree of 100,000 files is listed with sizes, times, modes and content hashes; the second time only what changed is ' +
  'hashed. Peer: the second `git status` of the same tree, which also compares what it knows with what is there.';

const FOLDERS = 1_000;
const FILES = 100;
const ROUNDS = 15;

/** The second snapshot of a tree of 100 k files against the second `git status` of the same tree, taking turns. */
export async function run(): Promise<Row[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  try {
    const root = path.join(folder, 'tree');
    makeTree(root);
    const repository = ['--git-dir', path.join(folder, 'repository'), '--work-tree', root];
    execFileSync('git', ['init', '--quiet', '--bare', path.join(folder, 'repository')]);
    execFileSync('git', [...repository, 'config', 'core.bare', 'false']);
    execFileSync('git', [...repository, 'add', '--all']);
    const author = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', '-c', 'commit.gpgsign=false'];
    execFileSync('git', [...repository, ...author, '-c', 'gc.auto=0', 'commit', '--quiet', '--message', 'tree']);

    const [firstMs, first] = await timed(() => snapshotFs(root));
    const sumMs = timeOfSha256sum(root);
    gitStatus(repository);
    let previous = first;
    const ours: number[] = [];
    const peer: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [milliseconds, snapshot] = await timed(() => snapshotFs(root, [], { previous }));
      if (snapshot.entryCount !== FOLDERS * (FILES + 1)) throw new Error(`${snapshot.entryCount} entries`);
      previous = snapshot;
      ours.push(milliseconds);
      peer.push(gitStatus(repository));
    }
    const writeMs = await timeOfWriting(previous, folder);
    const ratio = median(ours) / median(peer);
    return [
      {
        what: 'snapshot of 100 k files, second time',
        ours: `${median(ours).toFixed(0)} ms`,
        peer: `${median(peer).toFixed(0)} ms`,
        peerName: 'git status, second time (its own figure, without process start)',
        ratio,
        goal,
        met: ratio <= 1,
        note: `medians of ${ROUNDS}, in turn; writing fs-before.N.json takes another ${writeMs.toFixed(0)} ms`,
      },
      {
        what: 'snapshot of 100 k files, first time, all hashed',
        ours: `${firstMs.toFixed(0)} ms`,
        peer: `${sumMs.toFixed(0)} ms`,
        peerName: 'find | xargs sha256sum',
        ratio: firstMs / sumMs,
        goal: '–',
        met: null,
      },
    ];
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function makeTree(root: string): void {
  for (let folder = 0; folder < FOLDERS; folder++) {
    const directory = path.join(root, `folder-${folder}`);
    fs.mkdirSync(directory, { recursive: true });
    for (let file = 0; file < FILES; file++) {
      fs.writeFileSync(`${directory}/file-${file}.txt`, `line of file ${folder}/${file}\n`.repeat(1 + (file % 20)));
    }
  }
}

function gitStatus(repository: string[]): number {
  const { status, stdout, stderr } = spawnSync('git', [...repository, 'status', '--porcelain'], {
    env: { ...process.env, GIT_TRACE_PERFORMANCE: '1' },
    encoding: 'utf8',
  });
  const seconds = /performance: ([\d.]+) s: git command: /.exec(stderr)?.[1];
  if (status !== 0 || stdout !== '' || seconds === undefined) throw new Error(`git status: ${stdout}${stderr}`);
  return Number(seconds) * 1_000;
}

function timeOfSha256sum(root: string): number {
  const start = performance.now();
  execFileSync('sh', ['-c', 'find "$1" -type f -print0 | xargs -0 sha256sum > /dev/null', 'sh', root]);
  return performance.now() - start;
}

async function timeOfWriting(snapshot: Snapshot, folder: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    const [milliseconds] = await timed(() => writeSnapshot(snapshot, path.join(folder, `fs-before.${round}.json`)));
    times.push(milliseconds);
  }
  return median(times);
}

async function timed<T>(action: () => Promise<T>): Promise<[number, T]> {
  const start = performance.now();
  const result = await action();
  return [performance.now() - start, result];
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
