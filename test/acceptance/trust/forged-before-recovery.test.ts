import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Meta } from '../../../src/protocol/index.ts';
import { finished, sandbox, until } from '../../support/tacho.ts';

test('recovery does not trust files that a program forged before its recorder was killed', async () => {
  const box = sandbox();
  const forged = { format: 'tacho-meta/1', success: true, exit_code: 0, forged: true };
  const script = `cd "${box.home}/runs/$TACHO_RUN_ID/.audit" &&
    echo '${JSON.stringify(forged)}' > meta.1.json && echo '{"format":"tacho-seal/1"}' > seal.1.json &&
    mkfifo writes.1.jsonl && ln -s /dev/zero fd-trace.1.log && touch done && exec sleep 1000`;
  const recorder = box.start(['run', '--', 'bash', '-c', script]);
  const end = finished(recorder);
  const runs = path.join(box.home, 'runs');
  await until(() => fs.existsSync(runs) && box.runIds().length > 0 && fs.existsSync(path.join(box.audit(), 'done')));
  recorder.kill('SIGKILL');
  await end;
  fs.rmSync(path.join(box.audit(), 'done'));
  const recovered = async (): Promise<Meta> => {
    await box.here(['recover']);
    return JSON.parse(fs.readFileSync(path.join(box.audit(), 'meta.1.json'), 'utf8')) as Meta;
  };
  // A killed recorder may keep its lock briefly.
  await expect.poll(recovered).toMatchObject({ success: false, completion: { reason_code: 'SUPERVISOR_LOST' } });
  const verified = await box.jsonHere<{ problems: { kind: string; path: string }[]; recovered: number[] }>([
    'verify',
    'last',
  ]);
  // Recovery replaced the forged files. verify reports those that are not regular files.
  expect(verified.recovered).toEqual([1]);
  expect(verified.problems.map(({ kind, path }) => `${kind} ${path}`).sort()).toEqual([
    'added fd-trace.1.log',
    'added writes.1.jsonl',
  ]);
});
