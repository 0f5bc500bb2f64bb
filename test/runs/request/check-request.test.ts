import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { NewRun } from '../../../src/client/index.ts';
import { DEFAULTS } from '../../../src/config/index.ts';
import { locateDataHome } from '../../../src/runs/data-home.ts';
import { planLaunch } from '../../../src/runs/launch/plan-launch.ts';
import { FIRST_ATTEMPT } from '../../../src/runs/request/attempt-order.ts';
import { checkRequest } from '../../../src/runs/request/check-request.ts';
import { parseRunRequest, settleRequest } from '../../../src/runs/request/settle-request.ts';
import { temporaryFolder } from '../../support/tacho.ts';

const PIECE = 'x'.repeat(100_000);

function check(wanted: NewRun): Promise<void> {
  const env = { PATH: '/usr/bin:/bin' };
  const context = { home: locateDataHome({}, temporaryFolder()), config: DEFAULTS, env, version: '0' };
  const request = settleRequest(parseRunRequest({ inherit_env: false, ...wanted }), context);
  return checkRequest(request, planLaunch(request, FIRST_ATTEMPT, context), context);
}

/** The kernel accepts fewer on a machine with a small stack. */
function maxArguments(): number {
  const starts = (count: number) =>
    spawnSync('/bin/true', Array<string>(count).fill(PIECE), { env: {} }).error === undefined;
  let count = 1;
  while (starts(count + 1)) count++;
  return count;
}

test('arguments whose total exceeds the kernel limit are refused before the start', async () => {
  const most = maxArguments();
  await expect(check({ command: ['/bin/true', ...Array<string>(most - 1).fill(PIECE)] })).resolves.toBeUndefined();
  await expect(check({ command: ['/bin/true', ...Array<string>(most + 1).fill(PIECE)] })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    facts: { bytes: expect.any(Number), limit: expect.any(Number) },
  });
});

test('variables count as well as arguments', async () => {
  const most = maxArguments();
  const env = Object.fromEntries(Array.from({ length: most }, (_, number) => [`V${number}`, PIECE]));
  await expect(check({ command: ['/bin/true', PIECE, PIECE], env })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
});

test('a program in the caller’s folder is not searched in the empty folder of a run', async () => {
  const cwd = temporaryFolder();
  fs.writeFileSync(path.join(cwd, 'script.sh'), '#!/bin/sh\n', { mode: 0o755 });
  await expect(check({ command: ['./script.sh'], cwd })).resolves.toBeUndefined();
  await expect(check({ command: ['./script.sh'] })).rejects.toMatchObject({
    code: 'COMMAND_NOT_FOUND',
    message: expect.stringContaining('the run starts in an empty folder'),
  });
});

test.each(['HOME', 'XDG_CONFIG_HOME', 'TMPDIR'])('%s outside of the managed home is refused', async (name) => {
  await expect(check({ command: ['true'], env: { [name]: '/root' } })).rejects.toMatchObject({
    code: 'ISOLATION_BROKEN',
    facts: { name },
  });
});
