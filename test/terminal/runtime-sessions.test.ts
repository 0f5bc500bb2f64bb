import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { environmentPolicySchema } from '../../src/protocol/terminal/index.ts';
import { CommandCapture } from '../../src/terminal/sessions/command-capture.ts';
import { buildEnvironment } from '../../src/terminal/sessions/environment.ts';
import { OutputBuffer } from '../../src/terminal/sessions/output-buffer.ts';
import { temporaryFolder } from '../support/tacho.ts';
import { openSessions, untilPrinted } from './run-sessions.ts';

test('the environment follows its policy, and only names are reported', async () => {
  const { call } = openSessions({ environment: { PATH: process.env.PATH, HOME: '/h', TOKEN: 'secret-1', OTHER: 'o' } });
  const { session_id } = await call('session.create', {
    env: { inherit: 'core', include: ['OTHER'], exclude: ['HOME'], set: { ADDED: 'secret-2' } },
  });
  const { stdout } = await call('exec.run', { session_id, command: 'echo "$OTHER $HOME $TOKEN $ADDED"' });
  expect(stdout.data).toBe('o   secret-2\n');
  const reported = JSON.stringify([await call('session.list', {}), await call('session.info', { session_id })]);
  expect(reported).not.toMatch(/secret/);
  expect(reported).toContain('"env_names":["ADDED","OTHER","PATH"]');
});

test('exclude overrides include, and set overrides both', () => {
  const own = { A: '1', B: '2', C: '3' };
  const build = (policy: object) => buildEnvironment(environmentPolicySchema.parse(policy), own);
  expect(build({ inherit: 'all', exclude: ['B'] })).toEqual({ A: '1', C: '3' });
  expect(build({ inherit: 'none' })).toEqual({});
  expect(build({ inherit: 'none', include: ['A', 'B'], exclude: ['B'] })).toEqual({ A: '1' });
  expect(build({ inherit: 'none', exclude: ['A'], set: { A: '9' } })).toEqual({ A: '9' });
});

test('a repeated write with the same id is written once', async () => {
  const under = openSessions();
  const { session_id } = await under.call('session.create', { kind: 'exec', argv: ['cat'] });
  const write = { session_id, data: 'once\n', write_id: 'w1' };
  expect(await under.call('session.write', write)).toEqual({ written: 5, repeated: false });
  expect(await under.call('session.write', write)).toEqual({ written: 5, repeated: true });
  await under.call('session.write', { session_id, data: 'end\n', write_id: 'w2' });
  expect(await untilPrinted(under, session_id, 'end')).toBe('once\nend\n');
});

test('input that the program does not read is accepted up to a limit, then refused', async () => {
  const { call } = openSessions();
  const { session_id } = await call('session.create', { kind: 'exec', argv: ['sleep', '300'], kill_grace_ms: 100 });
  const megabyte = 'x'.repeat(1_048_576);
  for (let count = 0; count < 4; count++) await call('session.write', { session_id, data: megabyte });
  await expect(call('session.write', { session_id, data: megabyte })).rejects.toMatchObject({
    code: 'RESOURCE_PRESSURE',
  });
});

test('the number of live sessions is limited', async () => {
  const { call } = openSessions({ maxSessions: 3 });
  const created = await Promise.allSettled(Array.from({ length: 5 }, () => call('session.create', {})));
  expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  const refused = created.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
  expect(refused.reason).toMatchObject({ code: 'MAX_SESSIONS_REACHED', facts: { max_sessions: 3 } });
  const { sessions } = await call('session.list', {});
  await call('session.destroy', { session_id: sessions[0]!.session_id });
  await call('session.create', {});
});

test('a session ends when it is idle for too long, and at the end of its life', async () => {
  const { call, sessions } = openSessions();
  const idle = await call('session.create', { idle_ms: 500 });
  // A session with a running command is not idle, however long the command takes.
  expect(await call('exec.run', { session_id: idle.session_id, command: 'sleep 1' })).toMatchObject({
    exit_code: 0,
    session_state: 'idle',
  });
  await sessions.find(idle.session_id).whenClosed;
  expect((await call('session.info', { session_id: idle.session_id })).end).toMatchObject({ reason: 'idle' });
  // Long enough for the command to start on a busy machine.
  const short = await call('session.create', { life_ms: 2000 });
  await expect(call('exec.run', { session_id: short.session_id, command: 'sleep 300' })).resolves.toMatchObject({
    session_state: 'terminated',
    timed_out: false,
  });
  expect((await call('session.info', { session_id: short.session_id })).end).toMatchObject({ reason: 'life' });
});

test('a session is not idle while its shell starts', async () => {
  const folder = temporaryFolder();
  fs.writeFileSync(path.join(folder, 'bash'), '#!/bin/sh\nsleep 1\nexec /bin/bash "$@"\n', { mode: 0o755 });
  const { call } = openSessions();
  const env = { set: { PATH: `${folder}:${process.env.PATH}` } };
  expect(await call('session.create', { shell: 'bash', env, idle_ms: 500 })).toMatchObject({ state: 'idle' });
});

test('the newest ended sessions are kept for readers', async () => {
  const { call, sessions } = openSessions({ maxEnded: 2 });
  const ids: string[] = [];
  for (let count = 0; count < 4; count++) {
    const { session_id } = await call('session.create', { kind: 'exec', argv: ['true'] });
    await sessions.find(session_id).whenClosed;
    ids.push(session_id);
  }
  expect(sessions.list().map(({ id }) => id)).toEqual(ids.slice(2));
});

test('invalid and unavailable requests are refused with their codes', async () => {
  const { call } = openSessions();
  const code = (code: string) => expect.objectContaining({ code });
  await expect(call('session.create', { limits: { open_files: 2_147_483_647 } })).rejects.toEqual(
    code('LIMIT_UNAVAILABLE'),
  );
  await expect(call('session.info', { session_id: 'none' })).rejects.toEqual(code('SESSION_NOT_FOUND'));
  await expect(call('exec.run', {})).rejects.toEqual(code('INVALID_PARAMS'));
  await expect(call('exec.run', { command: 'a\0b' })).rejects.toEqual(code('INVALID_PARAMS'));
  await expect(call('session.create', { kind: 'exec' })).rejects.toEqual(code('INVALID_PARAMS'));
  const { session_id } = await call('session.create', {});
  await expect(call('session.resize', { session_id, cols: 1, rows: 1 })).rejects.toEqual(code('INVALID_PARAMS'));
  await expect(call('session.signal', { session_id, signal: 'SIGNO' })).rejects.toEqual(code('INVALID_PARAMS'));
  await expect(call('session.read', { session_id, after: 9 })).rejects.toEqual(code('INVALID_PARAMS'));
});

test('the head and tail of a command’s output are exact, and the omitted bytes are counted', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 200 }), { maxLength: 30 }),
      fc.nat({ max: 600 }),
      (texts, most) => {
        const buffer = new OutputBuffer(100_000);
        buffer.append(Buffer.from('before'));
        const capture = new CommandCapture(buffer, most);
        for (const text of texts) {
          buffer.append(Buffer.from(text));
          capture.append(Buffer.from(text));
        }
        const all = Buffer.concat(texts.map((text) => Buffer.from(text)));
        const { data, encoding, omitted, from, to } = capture.finish();
        expect([encoding, from, to]).toEqual(['utf8', 6, 6 + all.length]);
        const bytes = Buffer.from(data);
        if (omitted === null) {
          expect(bytes.equals(all)).toBe(true);
          return;
        }
        expect(bytes.length).toBeLessThanOrEqual(most);
        expect(bytes.length).toBeGreaterThan(most - 8);
        expect(omitted.bytes).toBe(to - from - bytes.length);
        expect(bytes.subarray(0, omitted.at).equals(all.subarray(0, omitted.at))).toBe(true);
        expect(bytes.subarray(omitted.at).equals(all.subarray(omitted.at + omitted.bytes))).toBe(true);
      },
    ),
  );
});

test('text read in pieces is never cut within a character', async () => {
  const under = openSessions();
  const { session_id } = await under.call('session.create', {});
  await under.call('exec.run', { session_id, command: 'printf "aé日😀"' });
  let text = '';
  for (let after = 0; after < 10; ) {
    const read = await under.call('session.read', { session_id, after, max_bytes: 4 });
    expect(read.encoding).toBe('utf8');
    text += read.data;
    after = read.next;
  }
  expect(text).toBe('aé日😀');
});
