import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { command, daemonOf } from '../../acceptance/runtime/daemon.ts';
import { startSshServer } from '../../runtime/targets/ssh-server.ts';
import { trustFolder } from '../../support/trust.ts';
import { tachoIn } from '../tacho-in.ts';

test('opens, lists and finds a session on another machine, also with a daemon that did not open it', async () => {
  const [near, far] = [daemonOf(), daemonOf()];
  const ssh = await startSshServer();
  onTestFinished(() => ssh.stop());
  const program = path.join(near.workspace, 'tacho');
  fs.writeFileSync(program, `#!/bin/sh\nexec ${command.join(' ')} "$@"\n`, { mode: 0o755 });
  const targets = { ssh: { 'build-1': { ...ssh.settings, program, workspace: far.workspace } } };
  fs.mkdirSync(path.join(near.workspace, 'config'));
  fs.writeFileSync(path.join(near.workspace, 'config', 'tacho.yaml'), JSON.stringify({ targets }));
  onTestFinished(trustFolder(near.workspace));
  const { run, here, jsonHere } = tachoIn(near.workspace);

  const id = (await here(['terminal', 'create', '--target', 'ssh:build-1', '-e', 'COLOUR=blue'])).stdout.trim();
  expect(id).toMatch(/^ssh:build-1:s-[0-9a-f]{12}$/);
  const idThere = id.replace('ssh:build-1:', '');
  expect((await here(['terminal', 'ls'])).stdout).toMatch(
    new RegExp(`^${idThere}  shell  idle .* ssh:build-1  bash$`, 'm'),
  );
  const place = fs.realpathSync(far.workspace);
  expect((await run(['terminal', 'exec', idThere.slice(0, 8)], ['pwd; echo $COLOUR'])).stdout).toBe(`${place}\nblue\n`);
  expect((await here(['terminal', 'exec', '--target', 'ssh:build-1'], ['pwd'])).stdout).toBe(`${place}\n`);

  await near.crash();
  expect(await jsonHere(['terminal', 'info', id])).toMatchObject({ session_id: id, state: 'idle' });
  expect((await here(['terminal', 'info', id])).stdout).toContain('\n  target     ssh:build-1\n');
  expect((await here(['runtime', 'status'])).stdout).toContain('\n  ssh:build-1  connected\n');
  expect((await here(['terminal', 'kill', id])).stdout).toBe(`${id} ended\n`);
});
