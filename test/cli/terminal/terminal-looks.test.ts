import fs from 'node:fs';
import { expect, test } from 'vitest';
import { daemonOf, sharedDaemon } from '../../acceptance/runtime/daemon.ts';
import { tachoIn } from '../tacho-in.ts';

const shared = sharedDaemon();
const PAINT = /\x1b\[\d+m/g;

test('read-only commands start no daemon', async () => {
  const { workspace } = daemonOf();
  const { here, jsonHere } = tachoIn(workspace);
  expect(await jsonHere(['terminal', 'ls'])).toEqual({ sessions: [] });
  expect((await here(['terminal', 'ls'])).stdout).toBe('no sessions; open one with: tacho terminal create\n');
  const place = fs.realpathSync(workspace);
  expect(await jsonHere(['terminal', 'info', 'x'])).toMatchObject({
    error: { code: 'SESSION_NOT_FOUND', message: `there is no session x: no daemon serves ${place}` },
  });
  expect((await here(['runtime', 'status'])).stdout).toBe(
    `no daemon serves ${place}; tacho terminal starts one when needed\n`,
  );
  expect(fs.readdirSync(workspace)).toEqual([]);
});

test('a daemon that cannot start is reported with its own error', async () => {
  const { workspace } = daemonOf();
  const { run } = tachoIn(workspace, { TACHO_RUNTIME_NICE: 'many' });
  const { code, stderr } = await run(['terminal', 'create']);
  expect(stderr).toMatch(/^tacho: TACHO_RUNTIME_NICE: runtime.nice must be .* not "many" \[CONFIG_INVALID\]\n/);
  expect(code).toBe(2);
});

test('the list fits the terminal, and shows ended sessions', async () => {
  const { workspace, client } = daemonOf();
  const { here, atTerminal } = tachoIn(workspace);
  const daemon = client();
  const shell = await daemon.call('session.create', { kind: 'shell', shell: 'sh', name: 'build' });
  const long = ['sh', '-c', `: ${'many words '.repeat(20)}; exec sleep 60`];
  const pty = await daemon.call('session.create', { kind: 'pty', argv: long, name: 'a name that is long', cols: 120 });
  const ended = await daemon.call('session.create', { kind: 'exec', argv: ['sh', '-c', 'exit 3'] });
  await here(['terminal', 'wait', ended.session_id]);
  const listed = atTerminal(['terminal', 'ls'], [], { cols: 80 });
  await listed.terminal.ended;
  const lines = listed.text().split('\r\n').slice(1, 5);
  const plain = lines.map((line) => line.replaceAll(PAINT, ''));
  expect(plain[0]).toMatch(/^ID +KIND +STATE +NAME +AGE +PROGRAM$/);
  expect(plain[1]).toMatch(new RegExp(`^${shell.session_id}  shell +idle +build +\\d+s +sh$`));
  expect(plain[2]).toMatch(new RegExp(`^${pty.session_id}  pty 120x24 +running +a name that.*… +\\d+s +sh -c .+…$`));
  expect(plain[2]).toHaveLength(80);
  expect(plain[3]).toMatch(new RegExp(`^${ended.session_id}  exec +ended \\(3\\) +\\d+s +sh -c 'exit 3'$`));
  expect([lines[1], lines[3]]).toEqual([plain[1], `\x1b[2m${plain[3]}\x1b[22m`]);
  const piped = (await here(['terminal', 'ls'])).stdout;
  expect(piped).toContain('many words '.repeat(20).trim());
  expect(piped).not.toContain('\x1b');
});

test('info prints everything about a session', async () => {
  const { here, jsonHere } = tachoIn(shared.workspace);
  const words = [
    '--split',
    '--name',
    'two',
    '--env',
    'COLOUR=blue',
    '--nice',
    '2',
    '--file-size',
    '1MiB',
    '--inherit',
    'none',
  ];
  const { session_id } = await jsonHere(['terminal', 'create', ...words], ['/bin/sh', '-c', 'echo out; exit 7']);
  await here(['terminal', 'wait', session_id]);
  const text = (await here(['terminal', 'info', 'two'])).stdout;
  const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d, \d+s ago`;
  expect(text).toMatch(
    new RegExp(
      [
        `^${session_id}  ended: exit code 7`,
        '  name       two',
        '  kind       pty 80x24, stdout and stderr separate',
        "  program    /bin/sh -c 'echo out; exit 7'",
        `  folder     ${fs.realpathSync(shared.workspace)}`,
        `  created    ${time}`,
        `  last used  ${time}`,
        '  variables  COLOUR TERM',
        '  limits     files of 1MiB · nice 2',
        '  stdout     4 B',
        '  stderr     0 B\n$',
      ].join('\n'),
    ),
  );
  expect(await jsonHere(['terminal', 'info', 'two'])).toMatchObject({ session_id, end: { exit_code: 7 } });
});

test('screen prints the terminal as text, and can wait for a text', async () => {
  const { here } = tachoIn(shared.workspace);
  const script = String.raw`printf '\033[2;3Hsecond \033[1;31mrow\033[0m'; read -r line; printf '\033[5;1H<%s>' "$line"; read -r _`;
  const { session_id } = await shared.client().call('session.create', { kind: 'pty', argv: ['sh', '-c', script] });
  const screen = (...words: string[]) => here(['terminal', 'screen', session_id, ...words]);
  expect(await screen('--wait-for', 'row')).toMatchObject({ code: 0, stdout: '\n  second row\n' });
  const later = screen('--wait-for', '<on>');
  await shared.client().call('session.write', { session_id, data: 'on\r' });
  expect((await later).stdout).toContain('\n<on>\n');
  expect(await screen('--wait-for', 'nothing of the kind', '--timeout', '50ms')).toMatchObject({
    code: 124,
    stderr: 'tacho: the screen does not show nothing of the kind\n',
  });
});

test('status prints the daemon’s sessions and the available mechanisms', async () => {
  const { workspace, folder, client } = daemonOf();
  const { here, jsonHere } = tachoIn(workspace);
  await client().call('session.create', { kind: 'shell' });
  const found = await jsonHere(['runtime', 'status']);
  expect(found).toMatchObject({ running: true, healthy: true, sessions: { active: 1 }, registry: { entries: 1 } });
  const { stdout } = await here(['runtime', 'status']);
  expect(stdout).toContain(`  daemon    process ${found.pid}, tacho ${found.version}, since `);
  expect(stdout).toContain(`  sessions  1 active, 256 at most\n`);
  expect(stdout).toContain(`  timeout   1d for each command\n`);
  expect(stdout).toContain(`  registry  1 entry in ${fs.realpathSync(folder)}/exec_registry.json\n`);
  const shown = stdout.split('Available here:\n')[1]!.trimEnd().split('\n');
  const expected = Object.values(found.mechanisms as Record<string, { works: boolean; why: string | null }>);
  expect(shown.map((line) => line.split(/ {2,}/).at(-1))).toEqual(
    expected.map(({ works, why }) => (works ? 'yes' : `no: ${why}`)),
  );
});
