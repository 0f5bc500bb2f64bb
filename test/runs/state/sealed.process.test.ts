import { type ChildProcess, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { memoryDirector } from '../../server/support/memory-director.ts';
import { serve } from '../../server/support/serve.ts';
import { finished, isWatching, type Sandbox, sandbox } from '../../support/tacho.ts';

/** An ended command whose recorder waits for its key before sealing. `seal` provides the key. */
async function unsealedRun(): Promise<Sandbox & { runId: string; recorder: ChildProcess; seal(): Promise<void> }> {
  const box = sandbox();
  await box.tacho(['run', '--', 'true']);
  const [first] = box.runIds();
  const key = path.join(box.home, 'keys/seal.ed25519.pem');
  const pem = fs.readFileSync(key);
  const pipe = path.join(box.home, 'pipe');
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
  fs.renameSync(key, `${key}.aside`);
  fs.linkSync(pipe, key);
  const recorder = box.start(['run', '--', 'true']);
  const left = finished(recorder);
  let writer = 0;
  await expect
    .poll(
      () => {
        try {
          writer = fs.openSync(pipe, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
        } catch {
          return false; // The pipe has no reader yet.
        }
        return true;
      },
      { timeout: 60_000 },
    )
    .toBe(true);
  // Other processes read the real key; the recorder waits for the end of the pipe.
  fs.renameSync(`${key}.aside`, key);
  return {
    ...box,
    runId: box.runIds().find((id) => id !== first)!,
    recorder,
    async seal() {
      fs.writeSync(writer, pem);
      fs.closeSync(writer);
      await left;
    },
  };
}

test('verify, bundle and the facts of an attempt wait for the seal of an ended run', async () => {
  const run = await unsealedRun();
  expect(fs.existsSync(path.join(run.audit(run.runId), 'seal.1.json'))).toBe(false);
  const served = await serve({ director: memoryDirector(), home: run.home });
  const ask = (rest: string, options = {}) => served.ask(`/v1/runs/${run.runId}/${rest}`, options);
  const answers = [ask('verify', { method: 'POST' }), ask('bundle'), ask('attempts/1')];
  const verifying = run.start(['verify', run.runId]);
  const exporting = run.start(['export', run.runId, '--format', 'zip', '-o', 'run.zip']);
  const waited = [finished(verifying), finished(exporting)];
  await expect.poll(() => isWatching(verifying) && isWatching(exporting), { timeout: 60_000 }).toBe(true);
  await run.seal();
  const [verified, bundle, attempt] = await Promise.all(answers);
  expect(verified!.json).toMatchObject({ verdict: 'intact' });
  expect(bundle!.bytes.includes('seal.1.json')).toBe(true);
  expect(attempt!.json).toMatchObject({ completion: { reason_code: 'EXIT_ZERO' } });
  const [verifyOutput, exported] = await Promise.all(waited);
  expect(verifyOutput!.stdout).toContain('intact');
  expect(exported).toMatchObject({ code: 0, stderr: 'wrote run.zip\n' });
  expect(fs.readFileSync(path.join(run.work, 'run.zip')).includes('seal.1.json')).toBe(true);
});

test('verify does not wait for the seal if the recorder died and nothing recovers the run', async () => {
  const run = await unsealedRun();
  run.recorder.kill('SIGKILL');
  await expect.poll(() => run.recorder.signalCode, { timeout: 60_000 }).toBe('SIGKILL');
  const { code, stdout } = await run.tacho(['verify', run.runId]);
  expect(code).toBe(1);
  expect(stdout).toContain('Its recorder died.');
});
