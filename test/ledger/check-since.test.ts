import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { nodeSha256 as sha256 } from '../../src/journal/index.ts';
import { enter, NO_ENTRY } from '../../src/ledger/entry-log.ts';
import { checkSince, Ledger } from '../../src/ledger/index.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
});

/** Three sealed runs, with the seals as a recorder leaves them, and the problems after one of them was changed. */
async function sealed(contents: readonly string[] = ['one', 'two', 'three']) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-since-'));
  folders.push(home);
  const runs = path.join(home, 'runs');
  const ledger = new Ledger(path.join(home, 'ledger'));
  const ids = contents.map((_, n) => `20261116T080000-text-${String(n).padStart(8, '0')}`);
  for (const [n, content] of contents.entries()) {
    const audit = path.join(runs, ids[n]!, '.audit');
    fs.mkdirSync(audit, { recursive: true });
    fs.writeFileSync(path.join(audit, 'seal.1.json'), content);
    await ledger.append({ what: 'sealed', run_id: ids[n]!, attempt: 1, seal: sha256.of(content) });
  }
  const tree = await ledger.read((reader) => reader.tree());
  const run = path.join(runs, ids[1]!);
  const problems = async (at = runs) => {
    const report = await checkSince(ledger, { ...tree, key: '', signature: '' }, at);
    return report.problems.map(({ run_id, message }) => [ids.indexOf(run_id ?? ''), message]);
  };
  return { home, runs, run, seal: path.join(run, '.audit/seal.1.json'), problems, ledger };
}

describe('verify since a head', () => {
  it('reports no problem with unchanged seals of any size', async () => {
    const { problems } = await sealed(['', 'x'.repeat(64 * 1024 - 1), 'y'.repeat(64 * 1024), 'z'.repeat(300_000), 'a']);
    expect(await problems()).toEqual([]);
  });

  it.each([
    ['changed', /^is not the seal/, (seal: string) => fs.writeFileSync(seal, 'Two')],
    ['made longer than the buffer', /^is not the seal/, (seal: string) => fs.writeFileSync(seal, 'x'.repeat(200_000))],
    ['made endless', /it is not a seal/, (seal: string) => fs.truncateSync(seal, 2 ** 30)],
    ['removed', /^is gone/, (seal: string) => fs.rmSync(seal)],
    [
      'replaced by a folder',
      /not a regular file/,
      (seal: string) => {
        fs.rmSync(seal);
        fs.mkdirSync(seal);
      },
    ],
    [
      'replaced by a pipe',
      /not a regular file/,
      (seal: string) => {
        fs.rmSync(seal);
        execFileSync('mkfifo', [seal]);
      },
    ],
    [
      'replaced by a link to its content',
      /^cannot be read/,
      (seal: string) => {
        fs.renameSync(seal, `${seal}.moved`);
        fs.symlinkSync('seal.1.json.moved', seal);
      },
    ],
    [
      'behind a link in the place of its folder',
      /^is gone/,
      (seal: string) => {
        const audit = path.dirname(seal);
        fs.renameSync(audit, `${audit}.moved`);
        fs.symlinkSync('.audit.moved', audit);
      },
    ],
  ])('names only a seal that was %s', async (_, message, touch) => {
    const { seal, problems } = await sealed();
    touch(seal);
    expect(await problems()).toEqual([[1, expect.stringMatching(message)]]);
  });

  it('follows links to run folders and to the folder of all runs', async () => {
    const { home, runs, run, problems } = await sealed();
    fs.renameSync(run, path.join(home, 'elsewhere'));
    fs.symlinkSync('../elsewhere', run);
    fs.symlinkSync('runs', path.join(home, 'linked'));
    expect(await problems()).toEqual([]);
    expect(await problems(path.join(home, 'linked'))).toEqual([]);
    expect(await problems(path.join(runs, 'missing'))).toHaveLength(3);
  });

  it('is not misled to a shorter name by a NUL', async () => {
    const { runs, ledger, problems } = await sealed();
    fs.mkdirSync(path.join(runs, 'short'));
    await ledger.append({ what: 'sealed', run_id: 'short\0', attempt: 1, seal: sha256.of('') });
    expect(await problems()).toEqual([[-1, expect.stringMatching(/^cannot be read/)]]);
  });

  it('says how many entries are missing', async () => {
    const { home, problems } = await sealed();
    const file = path.join(home, 'ledger/entries.jsonl');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').split('\n').slice(0, 2).join('\n').concat('\n'));
    expect(await problems()).toEqual([[-1, 'the ledger has 2 entries, and had 3: some were taken away']]);
  });

  it('names a run whose seal is listed twice', async () => {
    const { ledger, run, problems } = await sealed();
    await ledger.append({ what: 'recovered', run_id: path.basename(run), attempt: 1, seal: sha256.of('two') });
    expect(await problems()).toEqual([[1, 'was sealed more than once']]);
  });

  describe('with a helper thread', () => {
    const runId = '20261116T080000-text-00000000';

    /** One run with so many seals that a helper reads them too, and the problems by attempt after some were changed. */
    async function sealedOften(touch: (audit: string) => void, { extra = [] as number[] } = {}) {
      const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-since-'));
      folders.push(home);
      const audit = path.join(home, 'runs', runId, '.audit');
      fs.mkdirSync(audit, { recursive: true });
      let previous = NO_ENTRY;
      const attempts = [...Array.from({ length: 12_000 }, (_, n) => n + 1), ...extra];
      const lines = attempts.map((attempt, n) => {
        const seal = sha256.of(`seal ${attempt}`);
        fs.writeFileSync(path.join(audit, `seal.${attempt}.json`), `seal ${attempt}`);
        const at = '2026-11-16T08:00:00.000Z';
        const { line, leaf } = enter({ n, at, what: 'sealed', run_id: runId, attempt, seal, previous });
        previous = leaf;
        return `${line}\n`;
      });
      fs.mkdirSync(path.join(home, 'ledger'));
      fs.writeFileSync(path.join(home, 'ledger/entries.jsonl'), lines.join(''));
      touch(audit);
      const ledger = new Ledger(path.join(home, 'ledger'));
      const tree = await ledger.read((reader) => reader.tree());
      const before = fs.readdirSync('/proc/self/fd').length;
      const { problems, checked } = await checkSince(
        ledger,
        { ...tree, key: '', signature: '' },
        path.join(home, 'runs'),
      );
      await expect.poll(() => fs.readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before);
      return { problems: problems.map(({ attempt, message }) => [attempt, message]), checked };
    }

    it('finds all seals as listed, and leaves nothing open', async () => {
      expect(await sealedOften(() => {})).toMatchObject({ problems: [], checked: { seals: 12_000 } });
    });

    it('names every changed seal, wherever it is', async () => {
      const { problems } = await sealedOften(
        (audit) => {
          for (const attempt of [1, 5000, 11_999]) fs.writeFileSync(path.join(audit, `seal.${attempt}.json`), 'x');
          fs.rmSync(path.join(audit, 'seal.3.json'));
          fs.renameSync(path.join(audit, 'seal.7.json'), path.join(audit, 'moved'));
          fs.symlinkSync('moved', path.join(audit, 'seal.7.json'));
          fs.rmSync(path.join(audit, 'seal.9.json'));
          execFileSync('mkfifo', [path.join(audit, 'seal.9.json')]);
        },
        { extra: [4, 12_000] },
      );
      expect(problems).toEqual([
        [1, expect.stringMatching(/^is not the seal/)],
        [3, expect.stringMatching(/^is gone/)],
        [7, expect.stringMatching(/^cannot be read/)],
        [9, expect.stringMatching(/not a regular file/)],
        [5000, expect.stringMatching(/^is not the seal/)],
        [11_999, expect.stringMatching(/^is not the seal/)],
        [4, 'was sealed more than once'],
        [12_000, 'was sealed more than once'],
      ]);
    });
  });
});
