import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { skillManifestSchema } from '../../../src/protocol/index.ts';
import { type ArtifactLimits, collectArtifacts } from '../../../src/runs/result/artifacts/collect-artifacts.ts';

describe('collectArtifacts', () => {
  let root: string;
  let folder: string;
  let audit: string;

  beforeEach(() => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-result-'));
    folder = path.join(root, 'artifacts');
    audit = path.join(root, 'run', '.audit');
    fs.mkdirSync(audit, { recursive: true });
    fs.mkdirSync(folder);
  });

  afterEach(() => fs.rmSync(root, { recursive: true }));

  const write = (name: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  };
  const collect = (artifacts: object[], more: { except?: string[]; limits?: ArtifactLimits } = {}) => {
    const { artifacts: wanted } = skillManifestSchema.parse({ artifacts });
    return collectArtifacts({ folder, wanted, except: [], audit, ...more });
  };
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

  it('keeps matching files with their role, and reports a required one that is missing', () => {
    write('report/index.md', '# Report');
    write('report/data/table.csv', 'a,b');
    write('notes.txt', 'left out');
    const collected = collect([
      { pattern: 'report/**/*.csv', role: 'data', mime: 'text/csv', required: true },
      { pattern: 'report/*.md', role: 'report' },
      { pattern: 'summary.json', required: true },
      { pattern: 'chart.png' },
    ]);
    expect(collected).toEqual({
      artifacts: [
        { path: 'report/data/table.csv', role: 'data', mime: 'text/csv', bytes: 3, sha256: sha256('a,b') },
        { path: 'report/index.md', role: 'report', mime: null, bytes: 8, sha256: sha256('# Report') },
      ],
      skipped: [],
      violations: [{ path: '', message: 'the required artifact "summary.json" is missing' }],
    });
    const blob = path.join(audit, 'blobs', sha256('a,b'));
    expect(fs.readFileSync(blob, 'utf8')).toBe('a,b');
    expect(fs.statSync(blob).mode & 0o777).toBe(0o600);
  });

  it('keeps everything without patterns, except the result', () => {
    write('a.txt', 'a');
    write('result.json', '{}');
    expect(collect([], { except: ['result.json'] }).artifacts.map(({ path: name }) => name)).toEqual(['a.txt']);
  });

  it('does not follow links, read pipes or list names that deceive', () => {
    const outside = path.join(path.dirname(folder), 'secret');
    fs.mkdirSync(outside);
    fs.writeFileSync(path.join(outside, 'key'), 'secret');
    fs.symlinkSync(path.join(outside, 'key'), path.join(folder, 'key'));
    fs.symlinkSync(outside, path.join(folder, 'folder'));
    write('with\nline', 'x');
    fs.writeFileSync(Buffer.from([...Buffer.from(`${folder}/`), 0xff]), 'x');
    write('plain', 'x');
    expect(collect([{ pattern: '**' }]).artifacts.map(({ path: name }) => name)).toEqual(['plain']);
    fs.renameSync(folder, `${folder}.moved`);
    fs.symlinkSync(outside, folder);
    expect(collect([]).artifacts).toEqual([]);
  });

  it('skips what is beyond the limits, and says so', () => {
    for (const [name, bytes] of Object.entries({ a: 3, b: 11, c: 5, d: 4, e: 1, f: 1 })) write(name, 'x'.repeat(bytes));
    const { artifacts, skipped, violations } = collect([{ pattern: 'b', required: true }, { pattern: '*' }], {
      limits: { files: 3, fileBytes: 10, bytes: 9 },
    });
    expect(artifacts.map(({ path: name }) => name)).toEqual(['a', 'c', 'e']);
    expect(skipped).toEqual([
      { path: 'b', reason: 'it has 11 bytes; the limit is 10' },
      { path: 'd', reason: 'the artifacts are too large together' },
      { path: 'f', reason: 'there are too many artifacts' },
    ]);
    expect(violations).toEqual([{ path: '', message: 'the required artifact "b" is missing' }]);
  });

  it('replaces a blob that the program forged', () => {
    write('a.txt', 'real');
    fs.mkdirSync(path.join(audit, 'blobs'));
    const blob = path.join(audit, 'blobs', sha256('real'));
    fs.writeFileSync(blob, 'fake');
    collect([]);
    expect(fs.readFileSync(blob, 'utf8')).toBe('real');
  });

  it('keeps each file once, by its content, whatever the names', () => {
    const name = fc.stringMatching(/^[a-zé ]{1,6}$/).filter((text) => text.trim() === text && text !== '');
    fc.assert(
      fc.property(fc.dictionary(name, fc.string({ maxLength: 4 }), { maxKeys: 6 }), (files) => {
        fs.rmSync(folder, { recursive: true });
        fs.mkdirSync(folder);
        for (const [file, text] of Object.entries(files)) write(file, text);
        const { artifacts } = collect([]);
        expect(Object.fromEntries(artifacts.map((one) => [one.path, one.sha256]))).toEqual(
          Object.fromEntries(Object.entries(files).map(([file, text]) => [file, sha256(text)])),
        );
      }),
      { numRuns: 30 },
    );
  });
});
