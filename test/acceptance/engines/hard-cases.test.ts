import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { fakeEngine } from '../../support/fake-engine.ts';
import { projectRoot, type RunAnswer, sandbox, temporaryFolder } from '../../support/tacho.ts';

interface Imported extends RunAnswer {
  completion: RunAnswer['completion'] & { diagnostics: string[]; evidence: { kind: string; detail: string }[] };
}

/** Imports logs of a fixture, or texts given here. */
async function ended(engine: string, logs: { fixture: string } | { stdout?: string; stderr?: string }, more: string[]) {
  const box = sandbox();
  const files = 'fixture' in logs ? fixtureLogs(engine, logs.fixture) : writeLogs(box.home, logs);
  const words = ['import', engine, '--stdout', files.stdout, '--stderr', files.stderr, ...more];
  const { status, completion } = await box.jsonHere<Imported>(words);
  return { status, ...completion };
}

function fixtureLogs(engine: string, name: string) {
  const folder = path.join(projectRoot, 'test/fixtures', engine, name);
  return { stdout: path.join(folder, 'stdout.log'), stderr: path.join(folder, 'stderr.log') };
}

function writeLogs(folder: string, { stdout = '', stderr = '' }: { stdout?: string; stderr?: string }) {
  const files = { stdout: path.join(folder, 'out'), stderr: path.join(folder, 'err') };
  fs.writeFileSync(files.stdout, stdout);
  fs.writeFileSync(files.stderr, stderr);
  return files;
}

const lines = (...events: unknown[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
const codex = {
  thread: { type: 'thread.started', thread_id: 't-1' },
  turn: { type: 'turn.started' },
  say: (text: string) => ({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text } }),
  done: { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } },
};
/** Tries to reconnect for ever. A shell, because the limit counts from the start on, and Node may take long to begin. */
const RETRIES = `#!/bin/sh
echo '${JSON.stringify(codex.thread)}'
echo '${JSON.stringify(codex.turn)}'
while :; do
  echo '{"type":"error","message":"Reconnecting... waiting for network (Connection failed)"}'
  sleep 0.1
done
`;
/** Its key is rejected again and again, with ever longer pauses. */
const REJECTED = `#!/bin/sh
echo '{"type":"system","subtype":"init","session_id":"s-1","model":"m"}'
for attempt in 1 2; do
  echo '{"type":"system","subtype":"api_retry","attempt":'$attempt',"max_retries":10,"error_status":401,"error":"authentication_failed","session_id":"s-1"}'
done
exec sleep 300
`;
const MARKER = '{"__SKILL_DONE__": true}';

describe('how a run ended is told from what the engine did, not from its exit code alone', () => {
  test('pi exits 0 on failure → failed', async () => {
    const end = await ended('pi', { fixture: 'e500' }, ['--exit-code', '0']);
    expect(end).toMatchObject({ status: 'failed', state: 'interrupted', reason_code: 'ENGINE_ERROR' });
  });

  test('gemini SIGTERM exit 0 and empty stdout → interrupted', async () => {
    const end = await ended('gemini', { fixture: 'kill-INT' }, ['--exit-code', '0']);
    expect(end).toMatchObject({ state: 'interrupted', reason_code: 'ENGINE_ENDED_WITHOUT_TERMINAL_EVENT' });
    const empty = await ended('gemini', { stdout: '' }, ['--exit-code', '0']);
    expect(empty).toMatchObject({ state: 'interrupted', reason_code: 'ENGINE_ENDED_WITHOUT_TERMINAL_EVENT' });
  });

  test('claude `is_error` with subtype success → failed', async () => {
    const end = await ended('claude', { fixture: 'e500' }, ['--exit-code', '0']);
    expect(end).toMatchObject({
      status: 'failed',
      state: 'interrupted',
      reason_code: 'ENGINE_ERROR',
      source: 'engine',
    });
  });

  test('opencode rejected permission (exit 0, no stop) → interrupted with the reason', async () => {
    const end = await ended('opencode', { fixture: 'permission-rejected' }, ['--exit-code', '0']);
    expect(end).toMatchObject({ state: 'interrupted', reason_code: 'ENGINE_PERMISSION_REJECTED' });
    expect(JSON.stringify(end.evidence)).toContain('permission requested');
  });

  test('codex refused connection → stopped by the no-progress limit with `ENGINE_NO_PROGRESS`, though it prints that it tries again', async () => {
    const box = sandbox();
    const bin = temporaryFolder();
    fs.writeFileSync(path.join(bin, 'codex'), RETRIES, { mode: 0o755 });
    const words = ['run', 'codex', '--no-progress-timeout', '2s', '--', 'hello'];
    const { status, completion } = await box.jsonHere<Imported>(words, { env: { PATH: `${bin}:${process.env.PATH}` } });
    expect({ status, ...completion }).toMatchObject({
      status: 'failed',
      state: 'interrupted',
      reason_code: 'ENGINE_NO_PROGRESS',
      diagnostics: ['ENGINE_NO_PROGRESS'],
    });
    const retries = box.events().filter(({ data }) => (data as { code?: string }).code === 'ENGINE_RETRY');
    expect(retries.length).toBeGreaterThan(3);
  });

  test('claude retries a rejected key for minutes → ended at the second rejection, whatever the limit', async () => {
    const box = sandbox();
    const bin = temporaryFolder();
    fs.writeFileSync(path.join(bin, 'claude'), REJECTED, { mode: 0o755 });
    const words = ['run', 'claude', '--timeout', '5m', '--', 'hello'];
    const { status, completion } = await box.jsonHere<Imported>(words, { env: { PATH: `${bin}:${process.env.PATH}` } });
    expect({ status, ...completion }).toMatchObject({
      status: 'failed',
      state: 'interrupted',
      reason_code: 'ENGINE_AUTH_REQUIRED',
      source: 'tacho',
    });
    expect(completion.evidence).toContainEqual(
      expect.objectContaining({ kind: 'retry', detail: 'authentication_failed' }),
    );
  });

  test('opencode refused connection → stopped by the no-progress limit with `ENGINE_NO_PROGRESS`, without a word from it', async () => {
    const box = sandbox();
    const env = fakeEngine('opencode', 'silent.mjs');
    const { completion } = await box.jsonHere<Imported>(
      ['run', 'opencode', '--no-progress-timeout', '1s', '--', 'hello'],
      {
        env,
      },
    );
    expect(completion).toMatchObject({ state: 'interrupted', reason_code: 'ENGINE_NO_PROGRESS' });
  });

  test.each(['0', '1'])('opencode 401 with exit code %s → failed with `ENGINE_AUTH_REQUIRED`', async (code) => {
    const end = await ended('opencode', { fixture: 'e401' }, ['--exit-code', code]);
    expect(end).toMatchObject({ status: 'failed', state: 'interrupted', reason_code: 'ENGINE_AUTH_REQUIRED' });
  });

  test('marker only inside tool output → not completed where one is asked for', async () => {
    const shell = {
      id: 'item_1',
      type: 'command_execution',
      command: 'cat skill.md',
      aggregated_output: MARKER,
      exit_code: 0,
      status: 'completed',
    };
    const stdout = lines(
      codex.thread,
      codex.turn,
      { type: 'item.completed', item: shell },
      codex.say('read it'),
      codex.done,
    );
    const asked = await ended('codex', { stdout }, ['--exit-code', '0', '--require-marker']);
    expect(asked).toMatchObject({ status: 'failed', state: 'interrupted', reason_code: 'DONE_MARKER_MISSING' });
    const open = await ended('codex', { stdout }, ['--exit-code', '0', '--mode', 'interactive']);
    expect(open).toMatchObject({ status: 'failed', state: 'interrupted', reason_code: 'QUESTION_UNANSWERED' });
  });

  test('marker split over deltas → completed', async () => {
    const end = await ended('gemini', { fixture: 'tool-streamjson' }, ['--exit-code', '0', '--require-marker']);
    expect(end).toMatchObject({ status: 'succeeded', state: 'completed', reason_code: 'DONE_MARKER' });
  });

  test('lower-case marker → completed with a diagnostic', async () => {
    const stdout = lines(codex.thread, codex.turn, codex.say('{"__skill_done__": true}'), codex.done);
    const end = await ended('codex', { stdout }, ['--exit-code', '0']);
    expect(end).toMatchObject({ state: 'completed', reason_code: 'DONE_MARKER', diagnostics: ['LEGACY_DONE_MARKER'] });
  });

  test('marker and exit 1 → interrupted with the conflict named', async () => {
    const stdout = lines(codex.thread, codex.turn, codex.say(MARKER), codex.done);
    const end = await ended('codex', { stdout }, ['--exit-code', '1']);
    expect(end).toMatchObject({ state: 'interrupted', diagnostics: ['DONE_MARKER_FAILURE_CONFLICT'] });
  });
});
