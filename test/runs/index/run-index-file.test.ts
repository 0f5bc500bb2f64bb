import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { RUN_RECORD_FILE } from '../../../src/protocol/index.ts';
import { openRunIndex } from '../../../src/runs/index/run-index.ts';
import { openDatabase } from '../../../src/storage/index.ts';
import { RecordedRuns } from '../../storage/recorded-runs.ts';
import { builtProgram } from '../../support/program.ts';
import { proofSize } from '../../support/proof-size.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { removeFolder, temporaryFolder } from '../../support/tacho.ts';

interface Home {
  folder: string;
  runs: RecordedRuns;
  file: string;
  /** Opens the index; its rebuilds and problems are collected. */
  open(): ReturnType<typeof openRunIndex>;
  rebuilds: string[];
  problems: Error[];
}

/** A folder with its own runs, or with given runs that it only reads. */
function home(given?: RecordedRuns): Home {
  const folder = temporaryFolder();
  const runs = given ?? new RecordedRuns(folder);
  const file = path.join(folder, 'index.db');
  const rebuilds: string[] = [];
  const problems: Error[] = [];
  const open = async () => {
    const index = await openRunIndex({
      file,
      runsRoot: runs.root,
      onRebuild: (reason) => rebuilds.push(reason),
      onProblem: (error) => problems.push(error),
    });
    onTestFinished(() => index.close());
    return index;
  };
  return { folder, runs, file, open, rebuilds, problems };
}

const RUNS = 120;

/** RUNS runs, and a closed index of them that is large enough to be damaged in many places. */
let full: RecordedRuns;
let whole: Buffer;
const shared = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-index-'));
afterAll(() => removeFolder(shared));
beforeAll(async () => {
  full = new RecordedRuns(shared);
  for (let number = 0; number < RUNS; number++) full.add({}, [`number${number} ${'lorem ipsum '.repeat(50)}`]);
  const file = path.join(shared, 'index.db');
  await (await openRunIndex({ file, runsRoot: full.root })).close();
  whole = fs.readFileSync(file);
});

async function expectWhole(index: Awaited<ReturnType<Home['open']>>, runs = RUNS): Promise<void> {
  expect(index.list({ limit: 1 }).total).toBe(runs);
  expect(index.list({ q: 'number7', limit: 1 }).total).toBe(runs === 0 ? 0 : 11);
}

describe('an unusable index is rebuilt', () => {
  test('when it is missing, private to the user', async () => {
    const { file, open, rebuilds } = home(full);
    await expectWhole(await open());
    expect(rebuilds).toEqual(['missing']);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });

  test('but a usable one is not', async () => {
    const { file, open, rebuilds } = home(full);
    fs.writeFileSync(file, whole);
    await expectWhole(await open());
    expect(rebuilds).toEqual([]);
  });

  test.each([
    ['is empty', () => Buffer.alloc(0), 'missing'],
    ['is not a database', () => randomBytes(50_000), 'damaged'],
    ['is a text', () => Buffer.from('SQLite format 3, or so they say'), 'damaged'],
    ['is truncated', (whole: Buffer) => whole.subarray(0, whole.length >> 1), 'damaged'],
    ['has only its header', (whole: Buffer) => whole.subarray(0, 100), 'damaged'],
    [
      'has a damaged header',
      (whole: Buffer) => Buffer.concat([whole.subarray(0, 40), Buffer.alloc(60, 0xa5), whole.subarray(100)]),
      'damaged',
    ],
    [
      'has a damaged first page',
      (whole: Buffer) => Buffer.concat([whole.subarray(0, 100), randomBytes(3996), whole.subarray(4096)]),
      'damaged',
    ],
    ['has nothing but zeros', (whole: Buffer) => Buffer.alloc(whole.length), 'damaged'],
  ] as const)('when it %s', async (_, damage, reason) => {
    const { file, open, rebuilds } = home(full);
    fs.writeFileSync(file, damage(whole));
    await expectWhole(await open());
    expect(rebuilds).toEqual([reason]);
  });

  test.each([0, 99])('when it has version %i', async (version) => {
    const { file, open, rebuilds } = home(full);
    fs.writeFileSync(file, whole);
    const database = await openDatabase(file);
    database.exec(`DROP TABLE counts; PRAGMA user_version = ${version}`);
    database.close();
    await expectWhole(await open());
    expect(rebuilds).toEqual(['other version']);
  });

  test('when a foreign write-ahead log is next to it', async () => {
    const { file, open } = home(full);
    fs.writeFileSync(`${file}-wal`, randomBytes(40_000));
    fs.writeFileSync(`${file}-shm`, randomBytes(32_768));
    await expectWhole(await open());
  });

  test('when any page is damaged, on opening or on a query', async () => {
    const { file, open, rebuilds } = home(full);
    const pages = whole.length / 4096;
    const tried = proofSize({ small: 10, full: 25 });
    let found = 0;
    for (let page = 1; page < pages; page += Math.ceil(pages / tried)) {
      const bytes = Buffer.from(whole);
      randomBytes(4096).copy(bytes, page * 4096);
      for (const suffix of ['-wal', '-shm', '']) fs.rmSync(file + suffix, { force: true });
      fs.writeFileSync(file, bytes);
      const index = await open();
      // Damage may show only in later queries.
      for (let tries = 0; tries < 5; tries++) {
        try {
          for (const q of ['number7', 'lorem', '"ipsum lorem"']) index.list({ q, limit: RUNS });
          index.list({ limit: RUNS, status: 'succeeded', engine: 'codex' });
        } catch (error) {
          expect(error).toMatchObject({ code: 'INDEX_DAMAGED' });
          await index.settled();
          continue;
        }
        break;
      }
      if (rebuilds.length > 0) await expectWhole(index);
      found += rebuilds.length;
      rebuilds.length = 0;
      await index.close();
    }
    expect(found).toBeGreaterThan(tried / 5);
  });

  test('but a folder in its place is left alone and named', async () => {
    const { file, open } = home();
    fs.mkdirSync(file);
    fs.writeFileSync(path.join(file, 'precious'), 'x');
    await expect(open()).rejects.toMatchObject({
      code: 'INDEX_DAMAGED',
      facts: { path: file },
      fix: expect.any(String),
    });
    expect(fs.readdirSync(file)).toEqual(['precious']);
  });
});

describe('an index that is damaged while it is open', () => {
  /** Overwrites all but the first page with random bytes, while the index is open. */
  function damage(file: string): void {
    const fd = fs.openSync(file, 'r+');
    const { size } = fs.fstatSync(fd);
    fs.writeSync(fd, randomBytes(size - 4096), 0, size - 4096, 4096);
    // This drops SQLite's locks, which the test does not need.
    fs.closeSync(fd);
  }

  test('accepts runs, refuses queries, and is rebuilt soon after', async () => {
    // This is the last test with these runs, because it adds some.
    const { runs, file, open, rebuilds, problems } = home(full);
    fs.writeFileSync(file, whole);
    const index = await open();
    damage(file);
    const added = runs.add({}, ['number7x']);
    for (let tries = 0; problems.length === 0 && tries < 100; tries++) {
      index.put(added);
      try {
        index.list({ q: 'lorem', limit: 200 });
      } catch {
        // The code is checked below.
      }
    }
    expect(problems[0]).toMatchObject({ code: 'INDEX_DAMAGED' });
    expect(() => index.list({ limit: 1 })).toThrow(expect.objectContaining({ code: 'INDEX_DAMAGED' }));
    const late = runs.add({}, ['number7y']);
    index.put(late);
    index.remove(runs.add().run_id);
    await index.settled();
    expect(rebuilds).toEqual(['damaged']);
    expect(index.list({ limit: 1 }).total).toBeGreaterThanOrEqual(RUNS + 2);
    expect(index.list({ q: 'number7y', limit: 1 }).records[0]?.run_id).toBe(late.run_id);
    expect(index.list({ q: 'number7x', limit: 1 }).records[0]?.run_id).toBe(added.run_id);
  });
});

describe('a full disk', () => {
  test('leaves runs out of the index without failing, and they are added when there is space again', async () => {
    const disk = smallDisk('4m');
    const { runs, file, problems } = home();
    const onDisk = path.join(disk, 'index.db');
    const index = await openRunIndex({
      file: onDisk,
      runsRoot: runs.root,
      onProblem: (error) => problems.push(error),
    });
    expect(fs.existsSync(file)).toBe(false);
    fs.writeFileSync(path.join(disk, 'filler'), Buffer.alloc(3.6 * 1024 * 1024));
    const records = Array.from({ length: 40 }, (_, number) =>
      runs.add({}, [randomBytes(20_000).toString('hex'), `n${number}x`]),
    );
    for (const record of records) index.put(record);
    await index.settled();
    expect(problems[0]).toMatchObject({ code: 'DISK_FULL' });
    expect(index.list({ limit: 1, q: 'n39x' }).total).toBe(0);
    fs.rmSync(path.join(disk, 'filler'));
    await index.refresh();
    expect(index.list({ limit: 1 }).total).toBe(40);
    expect(index.list({ limit: 1, q: 'n39x' }).total).toBe(1);
    await index.close();
  });
});

describe('a process', () => {
  test('that is killed while it writes loses no confirmed run and damages nothing', async () => {
    const { folder, runs, file, open, rebuilds } = home();
    const confirmed = new Set<string>();
    for (let round = 0; round < proofSize({ small: 2, full: 8 }); round++) {
      const writer = startProgram('put-forever', folder, file);
      for (let count = 0; count < 60 + round * 50; count++) confirmed.add((await writer.nextLine())!);
      writer.child.kill('SIGKILL');
      for (let line = await writer.nextLine(); line !== null; line = await writer.nextLine()) confirmed.add(line);
      // Its output ends before its locks are released.
      await writer.exited;
      // This reads only the index, not the folders.
      const database = await openDatabase(file, { readonly: true });
      const kept = database.all<{ run_id: string }>('SELECT run_id FROM runs').map(({ run_id }) => run_id);
      expect(kept).toEqual(expect.arrayContaining([...confirmed]));
      expect(database.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      database.close();
    }
    const index = await open();
    expect(rebuilds).toEqual([]);
    // The last run of each process may be incomplete.
    const recorded = fs.readdirSync(runs.root).filter((runId) => fs.existsSync(recordFile(runs, runId)));
    expect(index.list({ limit: 1 }).total).toBe(recorded.length);
    expect(index.list({ limit: 1, q: 'number' }).total).toBeGreaterThanOrEqual(confirmed.size);
  });
});

function recordFile(runs: RecordedRuns, runId: string): string {
  return path.join(runs.folder(runId).path, RUN_RECORD_FILE);
}

interface Program {
  child: ChildProcess;
  /** The next line it prints; null when it has ended. */
  nextLine(): Promise<string | null>;
  exited: Promise<number | null>;
}

function startProgram(name: string, ...args: string[]): Program {
  const file = fileURLToPath(new URL(`../../storage/programs/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, [builtProgram(file), ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return { child, exited, nextLine: async () => (await lines.next()).value ?? null };
}
