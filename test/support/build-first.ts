import { spawnSync } from 'node:child_process';
import path from 'node:path';

/** Tests that run the built command must run what the sources say now. Quick when nothing has changed. */
export default function buildFirst(): void {
  const setup = path.join(import.meta.dirname, '../../scripts/setup.mjs');
  const { status } = spawnSync(process.execPath, [setup, '--only', 'build'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error('the build failed; its messages are above');
}
