import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { codeBlocks } from '../../docs/page.ts';
import { finished } from '../../support/tacho.ts';
import { daemonOf } from './daemon.ts';

test('the example of tachograph/runtime runs as printed, with a daemon of this installation', async () => {
  const { workspace, serverFile } = daemonOf();
  fs.mkdirSync(path.join(workspace, 'node_modules'));
  fs.symlinkSync(path.resolve(import.meta.dirname, '../../..'), path.join(workspace, 'node_modules/tachograph'));
  fs.writeFileSync(path.join(workspace, 'example.mjs'), codeBlocks('docs/terminal-runtime.md', 'js')[0]!);
  const ran = await finished(spawn(process.execPath, ['example.mjs'], { cwd: workspace }));
  expect(ran).toMatchObject({ code: 0, stdout: '0 "2\\n4\\n6\\n"\nstep 1\nstep 2\nstep 3\n', stderr: '' });
  const served = fs.readFileSync(`/proc/${serverFile().pid}/cmdline`, 'utf8').split('\0');
  expect(served.slice(1, 4)).toEqual([path.resolve('dist/tacho.cjs'), 'runtime', 'serve']);
});
