import { type ChildProcess, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { memoryDirector } from '../../server/support/memory-director.ts';
import { serve } from '../../server/support/serve.ts';
import { finished, isWatching, type Sandbox, sandbox } from '../../support/tacho.ts';

/** A command that has ended and whose recorder is about to seal it: it waits for its key. `seal` lets it go on. */
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
          return false; // Nobody reads it yet.
        }
        return true;
      },
      { timeout: 60_000 },
    )
    .toBe(true);
  // The others read the key as it was; the recorder waits for the end of the pipe.
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

test('verify, bundle and the facts of an attempt wait for the seal of a run that has ended', async () => {
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
  const [told, exported] = await Promise.all(waited);
  expect(told!.stdout).toContain('intact');
  expect(exported).toMatchObject({ code: 0, stderr: 'wrote run.zip\n' });
  expect(fs.readFileSync(path.join(run.work, 'run.zip')).includes('seal.1.json')).toBe(true);
});

test('a run whose recorder died before the seal is not waited for where nobody recovers it', async () => {
  const run = await unsealedRun();
  run.recorder.kill('SIGKILL');
  await expect.poll(() => run.recorder.signalCode, { timeout: 60_000 }).toBe('SIGKILL');
  const { code, stdout } = await run.tacho(['verify', run.runId]);
  expect(code).toBe(1);
  expect(stdout).toContain('Its recorder died.');
});
