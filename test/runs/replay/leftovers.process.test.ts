import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { finished, sandbox, until } from '../../support/tacho.ts';

/** Writes a file into its temporary folder, and prints the folder. */
const SCRIPT = 'echo kept >"$TMPDIR/file"; echo "$TMPDIR"; sleep 1000';

function filesIn(folder: string): string[] {
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
}

test('recovery removes the temporary folder and the control socket that a killed recorder left', async () => {
  const { home, start, tacho, audit } = sandbox();
  const recorder = start(['run', '--isolate', '--', 'sh', '-c', SCRIPT]);
  const ended = finished(recorder);
  const stdout = (runId: string) => fs.statSync(path.join(audit(runId), 'stdout.1.log'), { throwIfNoEntry: false });
  await until(() => filesIn(path.join(home, 'runs')).some((runId) => (stdout(runId)?.size ?? 0) > 0));
  const temporary = path.join(home, 'env', 'tmp');
  const sockets = path.join(home, 'sock');
  recorder.kill('SIGKILL');
  await ended;
  expect(filesIn(temporary)).toHaveLength(1);
  expect(filesIn(sockets)).not.toEqual([]);
  expect((await tacho(['recover'])).stdout).toContain('completed the record');
  expect(filesIn(temporary)).toEqual([]);
  expect(filesIn(sockets)).toEqual([]);
});
