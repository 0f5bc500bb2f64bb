import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadPreviousSnapshot, savePreviousSnapshot } from '../src/recording/snapshot/previous-snapshot.ts';
import { type Snapshot, snapshotFs } from '../src/recording/snapshot/snapshot.ts';
import { writeSnapshot } from '../src/recording/snapshot/snapshot-file.ts';
import type { Row } from './row.ts';

export const name = 'snapshot';
export const goal = '≤ 1× git status';
export const about =
  'A git repository of 100,000 files, with ignore rules in every tenth folder, is listed with sizes, times, modes and content ' +
  'hashes. The second run reads the snapshot of the first from its cache, reads the rules, and hashes only what changed. ' +
  'Peer: the second `git status` of the same repository, which also reads what it knows and compares it with what is there.';

const FOLDERS = 1_000;
const FILES = 100;
const ROUNDS = 15;

/** The second snapshot of 100,000 files compared with the second `git status` of the same repository, in turns. */
export async function run(): Promise<Row[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  try {
    const root = path.join(folder, 'tree');
    const cache = path.join(folder, 'cache');
    makeTree(root);
    const git = ['-C', root, '-c', 'user.name=bench', '-c', 'user.email=bench@localhost', '-c', 'commit.gpgsign=false'];
    execFileSync('git', ['init', '--quiet', '--template=', root]);
    execFileSync('git', [...git, 'add', '--all']);
    execFileSync('git', [...git, '-c', 'gc.auto=0', 'commit', '--quiet', '--message', 'tree']);

    const options = { ignoreFiles: 'read' } as const;
    const [firstMs, first] = await timed(() => snapshotFs(root, ['.git'], options));
    const sumMs = timeOfSha256sum(root);
    gitStatus(git);
    savePreviousSnapshot(cache, first);
    let previous = first;
    const ours: number[] = [];
    const loading: number[] = [];
    const peer: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [milliseconds, snapshot] = await timed(async () => {
        const start = performance.now();
        const loaded = loadPreviousSnapshot(cache, root);
        loading.push(performance.now() - start);
        return await snapshotFs(root, ['.git'], { ...options, previous: loaded });
      });
      if (snapshot.entryCount !== first.entryCount) throw new Error(`${snapshot.entryCount} entries`);
      previous = snapshot;
      ours.push(milliseconds);
      peer.push(gitStatus(git));
    }
    const writeMs = await timeOfWriting(previous, folder);
    const ratio = median(ours) / median(peer);
    return [
      {
        what: 'snapshot of a git repository of 100 k files, second run',
        ours: `${median(ours).toFixed(0)} ms`,
        peer: `${median(peer).toFixed(0)} ms`,
        peerName: 'git status, second time (its own figure, without process start)',
        ratio,
        goal,
        met: ratio <= 1,
        note: `medians of ${ROUNDS}, in turn; of ours, reading the previous snapshot is ${median(loading).toFixed(0)} ms; writing fs-before.N.json takes another ${writeMs.toFixed(0)} ms`,
      },
      {
        what: 'snapshot of a git repository of 100 k files, first run, all hashed',
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
    if (folder % 10 === 0) fs.writeFileSync(`${directory}/.gitignore`, '*.log\n!keep.log\n/build/\n**/tmp-*/\n');
    for (let file = 0; file < FILES; file++) {
      fs.writeFileSync(`${directory}/file-${file}.txt`, `line of file ${file}\n`.repeat(1 + (file % 20)));
    }
  }
}

function gitStatus(git: string[]): number {
  const { status, stdout, stderr } = spawnSync('git', [...git, 'status', '--porcelain'], {
    env: { ...process.env, GIT_TRACE_PERFORMANCE: '1' },
    encoding: 'utf8',
  });
  const seconds = /performance: ([\d.]+) s: git command: /.exec(stderr)?.[1];
  if (status !== 0 || stdout !== '' || seconds === undefined) throw new Error(`git status: ${stdout}${stderr}`);
  return Number(seconds) * 1_000;
}

function timeOfSha256sum(root: string): number {
  const start = performance.now();
  execFileSync('sh', [
    '-c',
    'find "$1" -name .git -prune -o -type f -print0 | xargs -0 sha256sum > /dev/null',
    'sh',
    root,
  ]);
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
