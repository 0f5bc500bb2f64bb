import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sandbox } from '../../support/tacho.ts';

interface Verdict {
  verdict: string;
  problems: { kind: string; path: string }[];
}

test('a link or a pipe in a record is named by verify', async () => {
  const box = sandbox();
  await box.here(['run', '--', 'echo', 'hello']);
  const audit = box.audit();
  const runId = path.basename(path.dirname(audit));
  expect(await box.jsonHere<Verdict>(['verify', runId])).toMatchObject({ verdict: 'intact', problems: [] });
  fs.mkdirSync(path.join(audit, 'blobs'), { recursive: true });
  fs.symlinkSync('/etc/passwd', path.join(audit, 'stdout.2.log'));
  fs.symlinkSync('/etc', path.join(audit, 'blobs/more'));
  execFileSync('mkfifo', [path.join(audit, 'writes.3.jsonl')]);
  const { verdict, problems } = await box.jsonHere<Verdict>(['verify', runId]);
  expect(verdict).toBe('changed');
  expect(problems.map((found) => `${found.kind} ${found.path}`).sort()).toEqual([
    'added blobs/more',
    'added stdout.2.log',
    'added writes.3.jsonl',
  ]);
});
