import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { NewRun } from '../../../src/client/index.ts';
import { isEvent, type RaspEvent, TachoError } from '../../../src/protocol/index.ts';
import { normaliseEvents } from '../../support/normalise-events.ts';
import { fullSize } from '../../support/proof-size.ts';
import { sharedService, whenResting } from '../../support/service.ts';
import { type Finished, finished, tachoCommand, temporaryFolder, until } from '../../support/tacho.ts';
import { tachoHere } from '../../support/tacho-here.ts';
import { trustFolder } from '../../support/trust.ts';

/** Set for both the command and the server, so that a request inherits the same values from either. */
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' };

const service = sharedService({ env: ENVIRONMENT });

/** The command line that is equivalent to the request. */
function wordsOf({ command, engine, prompt, cwd, env = {}, model, base_url, limits = {} }: NewRun): string[] {
  const option = (flag: string, value: string | undefined) => (value === undefined ? [] : [flag, value]);
  const { timeout_ms } = limits;
  return [
    ...(engine === undefined ? [] : [engine]),
    // The queue does this by default.
    ...(cwd === undefined ? ['--scratch'] : ['--cwd', cwd]),
    ...(engine === undefined ? ['--isolate'] : []),
    ...option('--model', model),
    ...option('--base-url', base_url),
    ...option('--timeout', timeout_ms ? `${timeout_ms}ms` : undefined),
    ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    '--',
    ...(command ?? [prompt!]),
  ];
}

function run(words: readonly string[], { inProcess = false } = {}): Promise<Finished> {
  const args = ['run', '--json', ...words];
  const env = { ...process.env, ...ENVIRONMENT, TACHO_HOME: service.home, NO_COLOR: '1' } as Record<string, string>;
  const cwd = service.home;
  if (inProcess) return tachoHere(args, { cwd, env, input: '' });
  return finished(spawn(process.execPath, [tachoCommand, ...args], { stdio: ['ignore', 'pipe', 'pipe'], cwd, env }));
}

interface Answer {
  exit: number | null;
  code: string | null;
  reason: string | null;
  runId: string | null;
}

async function throughCommand(request: NewRun, flags: string[] = [], options = {}): Promise<Answer> {
  const { code, stdout, stderr } = await run([...flags, ...wordsOf(request)], options);
  const answer = JSON.parse(stdout.trimEnd().split('\n').at(-1)!);
  expect(answer, stderr).toBeTypeOf('object');
  return {
    exit: code,
    code: answer.error?.code ?? null,
    reason: answer.completion?.reason_code ?? null,
    runId: answer.run_id ?? null,
  };
}

async function throughApi(request: NewRun): Promise<Omit<Answer, 'exit'>> {
  const { client } = service;
  try {
    const { run_id } = await client.createRun(request);
    await whenResting(client, run_id);
    const { error, completion } = await client.result(run_id);
    return { code: error?.code ?? null, reason: completion?.reason_code ?? null, runId: run_id };
  } catch (error) {
    if (!(error instanceof TachoError)) throw error;
    expect(error.facts.http_status).toBeGreaterThanOrEqual(400);
    return { code: error.code, reason: null, runId: null };
  }
}

/** A folder with its own configuration. */
function workspaceWith(settings: string): string {
  const folder = temporaryFolder();
  fs.mkdirSync(path.join(folder, 'config'));
  fs.writeFileSync(path.join(folder, 'config/tacho.yaml'), settings);
  return folder;
}

test('one request is stored, recorded and masked the same by run, run --queue and the API', async () => {
  const cwd = workspaceWith(
    'environment:\n  secret_names: ["*PHRASE"]\nrecording:\n  ignore: ["left-out"]\nlimits:\n  kill_grace_ms: 1234\nterminal:\n  term: vt100\n',
  );
  trustFolder(cwd, { dataFolder: service.home });
  const request: NewRun = {
    command: ['sh', '-c', 'echo "$TERM: $MY_PHRASE"; echo err >&2; : >made; : >left-out; exit 3'],
    cwd,
    env: { MY_PHRASE: 'open-sesame-1234' },
    limits: { timeout_ms: 60_000 },
  };
  const clean = () => {
    for (const name of ['made', 'left-out']) fs.rmSync(path.join(cwd, name), { force: true });
  };
  const local = await throughCommand(request);
  clean();
  const queued = await throughCommand(request, ['--queue']);
  clean();
  const posted = await throughApi(request);
  expect([local.exit, queued.exit]).toEqual([3, 3]);
  const ids = [local.runId!, queued.runId!, posted.runId!];

  const stored = ids.map((id) => service.record(id).request);
  expect(stored[0]).toMatchObject({
    command: request.command,
    cwd,
    env: expect.arrayContaining(['LANG', 'MY_PHRASE', 'PATH']),
    term: 'vt100',
    limits: { timeout_ms: 60_000, kill_grace_ms: 1234 },
    recording: { secret_names: ['*PHRASE'], ignore: ['left-out'] },
  });
  expect(JSON.stringify(stored)).not.toContain('open-sesame');
  expect(stored[1]).toEqual(stored[0]);
  expect(stored[2]).toEqual(stored[0]);

  const events = ids.map((id) => comparable(service.events(id)));
  expect(events[1]).toEqual(events[0]);
  expect(events[2]).toEqual(events[0]);
  const text = JSON.stringify(events);
  expect(text).toContain('vt100: ****************');
  expect(text).not.toContain('open-sesame');
  expect(text).toContain('"path":"made"');
  expect(text).not.toContain('"path":"left-out"');
  // Secret values are kept only while the run can continue; they are removed shortly after the seal.
  await until(() => fs.readdirSync(path.join(service.home, 'private')).length === 0);
});

/** The events without ids and times, and without those that only a queued run has. */
function comparable(events: readonly RaspEvent[]) {
  const own = events.filter((event) => !(isEvent(event, 'lifecycle.run.status') && event.data.status === 'queued'));
  const comparableEvents = own.map((event) =>
    isEvent(event, 'lifecycle.run.requested') ? { ...event, data: { ...event.data, priority: 0 } } : event,
  );
  // Event numbers include the queued event.
  return normaliseEvents(
    comparableEvents.map(
      (event) => ({ ...event, correlation: { ...event.correlation, parent_seq: null } }) as unknown as RaspEvent,
    ),
    [],
  );
}

const LONG = 128 * 1024;

/** What is wrong with a request, the error of all three ways, and the exit code of the command. */
const FAILURES: readonly [string, () => NewRun, { code?: string; reason?: string; exit: number }][] = [
  ['no program', () => ({ command: ['no-such-program'] }), { code: 'COMMAND_NOT_FOUND', exit: 127 }],
  ['not executable', () => ({ command: [plainFile()] }), { code: 'COMMAND_NOT_EXECUTABLE', exit: 126 }],
  ['no working folder', () => ({ command: ['true'], cwd: '/no/such/folder' }), { code: 'CWD_NOT_FOUND', exit: 1 }],
  ['another home', () => ({ command: ['true'], env: { HOME: '/root' } }), { code: 'ISOLATION_BROKEN', exit: 1 }],
  ['unknown engine', () => ({ engine: 'unknown', prompt: 'x' }), { code: 'UNKNOWN_ENGINE', exit: 2 }],
  ['missing engine', () => ({ engine: 'codex', prompt: 'x' }), { code: 'ENGINE_NOT_INSTALLED', exit: 127 }],
  ['empty prompt', () => ({ engine: 'codex', prompt: '  ' }), { code: 'PROMPT_INVALID', exit: 2 }],
  ['model name', () => ({ engine: 'demo', prompt: 'x', model: 'a b' }), { code: 'INVALID_REQUEST', exit: 2 }],
  ['base URL', () => ({ engine: 'demo', prompt: 'x', base_url: 'ftp://x' }), { code: 'INVALID_REQUEST', exit: 2 }],
  ['variable name', () => ({ command: ['true'], env: { 'BAD-NAME': 'x' } }), { code: 'INVALID_REQUEST', exit: 2 }],
  [
    'disk floor',
    () => ({ command: ['true'], cwd: workspaceWith('limits:\n  disk_floor_bytes: 1023 GiB\n') }),
    { code: 'DISK_FULL', exit: 1 },
  ],
  [
    'broken configuration',
    () => ({ command: ['true'], cwd: workspaceWith('limits: 7\n') }),
    { code: 'CONFIG_INVALID', exit: 2 },
  ],
  [
    'timeout',
    () => ({ command: ['sleep', '391'], limits: { timeout_ms: 300 } }),
    { reason: 'HARD_TIMEOUT', exit: 143 },
  ],
  ['signal', () => ({ command: ['sh', '-c', 'kill -9 $$'] }), { reason: 'SIGNALED', exit: 137 }],
];

/** One for each way a command ends. The other failures run the command in this process. */
const BY_BUILT_COMMAND = ['no program', 'no working folder', 'empty prompt', 'timeout'];

test('fourteen kinds of failure have the same exit and error codes through run, run --queue and the API', async () => {
  const ended = FAILURES.filter(([, , { code }]) => code === undefined).length;
  const folders = () => fs.readdirSync(path.join(service.home, 'runs')).length;
  const before = folders();
  for (const [name, wanted, { code = null, reason = null, exit }] of FAILURES) {
    const request = wanted();
    const options = { inProcess: !fullSize && !BY_BUILT_COMMAND.includes(name) };
    const [local, queued, posted] = await Promise.all([
      throughCommand(request, [], options),
      throughCommand(request, ['--queue'], options),
      throughApi(request),
    ]);
    expect({ name, local, queued, posted }).toMatchObject({
      local: { code, reason, exit },
      queued: { code, reason, exit },
      posted: { code, reason },
    });
  }
  // A refused request leaves no run behind.
  expect(folders()).toBe(before + 3 * ended);
  // The server notices a run recorded by a command with a short delay.
  await expect.poll(async () => (await service.client.listRuns()).total).toBe(folders());
});

test('a queued run has neither the folder nor the environment of its caller', async () => {
  const print = { command: ['sh', '-c', 'echo "$PWD $HOME <$TACHO_HOME>"'] };
  const inherited = { ...print, environment: 'inherited' as const };
  expect(await throughApi(inherited)).toEqual({ code: 'INVALID_REQUEST', reason: null, runId: null });
  const { stdout, stderr } = await run(['--queue', '--', ...print.command], { inProcess: true });
  const { run_id, run_dir } = JSON.parse(stdout.trimEnd().split('\n').at(-1)!);
  expect(stderr).toContain(`${run_dir}/work ${service.home}/env/home <>\n`);
  expect(service.record(run_id).request).not.toHaveProperty('environment');
});

test('arguments, variables and prompts are limited in bytes', async () => {
  const before = (await service.client.listRuns()).total;
  const refused = (request: NewRun) => service.client.createRun(request).catch(({ code }: TachoError) => code);
  expect(await refused({ command: ['echo', 'é'.repeat(100_000)] })).toBe('INVALID_REQUEST');
  expect(await refused({ command: ['true'], env: { LONG: 'x'.repeat(LONG - 5) } })).toBe('INVALID_REQUEST');
  expect(await refused({ engine: 'demo', prompt: 'é'.repeat(LONG / 2) })).toBe('PROMPT_TOO_LONG');
  expect((await service.client.listRuns()).total).toBe(before);
});

function plainFile(): string {
  const file = path.join(temporaryFolder(), 'plain');
  fs.writeFileSync(file, '#!/bin/sh\n', { mode: 0o644 });
  return file;
}
