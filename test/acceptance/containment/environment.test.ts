import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RuntimeParams } from '../../../src/protocol/terminal/index.ts';
import { enterBubblewrap, probeBubblewrap } from '../../../src/sandbox/index.ts';
import { removeFolder, until } from '../../support/tacho.ts';
import { folderOnDisk } from '../../tools/commands/opened.ts';
import { openShell, type RuntimeUnderTest, readAll, runtimeInProcess } from '../runtime/runtime.ts';

const works = 'program' in (await probeBubblewrap('off'));
const KINDS = ['shell', 'exec', 'pty'] as const;
const LIMITS = { 'without limits': {}, 'with a limit': { open_files: 512 } } as const;

interface Stage {
  runtime: RuntimeUnderTest;
  /** Nothing in a sandbox can write here. */
  outside: string;
  hostile: Record<string, string>;
}

/** Variables by which a client could make the programs outside of the sandbox, which enter it, write files. */
function setTheStage(): Stage {
  const around = folderOnDisk();
  onTestFinished(() => removeFolder(around));
  const [outside, bin] = [path.join(around, 'outside'), path.join(around, 'bin')];
  for (const folder of [outside, bin]) fs.mkdirSync(folder);
  const script = `#!/bin/bash\n/usr/bin/touch ${outside}/made-by-"\${0##*/}" 2>/dev/null\n`;
  for (const name of ['sh', 'bwrap', 'setsid', 'start-file']) {
    fs.writeFileSync(path.join(bin, name), script, { mode: 0o755 });
  }
  const hostile = {
    PATH: `${bin}:${process.env.PATH}`,
    // The loader of every program that has these writes a file.
    LD_DEBUG: 'libs',
    LD_DEBUG_OUTPUT: path.join(outside, 'loader'),
    BASH_ENV: path.join(bin, 'start-file'),
    ENV: path.join(bin, 'start-file'),
    SHELLOPTS: 'xtrace',
    PS4: `$(${path.join(bin, 'start-file')})`,
  };
  return { runtime: runtimeInProcess({ enterSandbox: enterBubblewrap }), outside, hostile };
}

async function printedBy(
  { runtime }: Stage,
  kind: (typeof KINDS)[number],
  script: string,
  params: RuntimeParams<'session.create'>,
): Promise<string> {
  if (kind === 'shell') {
    const shell = await openShell(runtime, params);
    const { stdout } = await shell.run(script);
    await runtime.call('session.destroy', { session_id: shell.id });
    return stdout.data;
  }
  const argv = ['/bin/bash', '--norc', '-c', script];
  const { session_id } = await runtime.call('session.create', { kind, argv, ...params });
  return (await readAll(runtime, session_id)).toString().replaceAll('\r\n', '\n');
}

describe.each(KINDS)('variables of a sandboxed %s session', (kind) => {
  test.each(Object.entries(LIMITS))('have no effect outside of the sandbox, %s', async (_, limits) => {
    if (!works) return;
    const stage = setTheStage();
    const env = { inherit: 'core' as const, set: stage.hostile };
    const printed = await printedBy(stage, kind, 'echo "inside $LD_DEBUG"', { env, limits, sandbox: {} });
    expect(printed).toContain('inside libs\n');
    expect(fs.readdirSync(stage.outside)).toEqual([]);
  });

  test('appear in the program and in no command line', async () => {
    if (!works) return;
    const stage = setTheStage();
    const { runtime } = stage;
    const secret = `secret-${process.pid}-${kind}`;
    const env = { inherit: 'core' as const, set: { TOKEN: secret, EMPTY: '' } };
    const script = 'echo "$TOKEN [$(printenv EMPTY)]"; touch began; until [ -e go ]; do sleep 0.02; done';
    const printed = printedBy(stage, kind, script, { env, sandbox: {} });
    await until(() => fs.existsSync(path.join(runtime.workspace, 'began')));
    const lines = commandLines();
    fs.writeFileSync(path.join(runtime.workspace, 'go'), '');
    expect(await printed).toContain(`${secret} []\n`);
    expect(lines.some((line) => line.includes('bwrap'))).toBe(true);
    expect(lines.filter((line) => line.includes(secret))).toEqual([]);
  });

  test('are all it gets, with no descriptor of the programs outside', async () => {
    if (!works) return;
    const env = { inherit: 'none' as const, set: { PATH: '/usr/bin:/bin', OWN: '1' } };
    const script = 'echo $(env | cut -d= -f1 | sort); for fd in /proc/$$/fd/*; do readlink $fd; done';
    const printed = await printedBy(setTheStage(), kind, script, { env, sandbox: {} });
    const [names, ...opened] = printed.trimEnd().split('\n');
    const ofShell = ['OWN', 'PATH', 'PWD', 'SHLVL', 'TACHO_MARKER', ...(kind === 'pty' ? ['TERM'] : []), '_'];
    expect(names!.split(' ')).toEqual(ofShell);
    expect(opened.filter((target) => target.includes('tacho-sandbox'))).toEqual([]);
    if (kind !== 'shell') expect(opened).toHaveLength(3);
  });
});

function commandLines(): string[] {
  const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => {
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1');
    } catch {
      return ''; // Gone meanwhile.
    }
  });
}
