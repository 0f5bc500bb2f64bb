import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EngineFacts, Meta, RunRecord } from '../../../src/protocol/index.ts';
import { sharedService, whenResting } from '../../support/service.ts';
import { projectRoot, type RunAnswer, type Sandbox, sandbox, temporaryFolder } from '../../support/tacho.ts';
import { trustFolder } from '../../support/trust.ts';

const ASKS = path.join(projectRoot, 'test/agents/codex-asks.mjs');
const CODEX_LOG = path.join(projectRoot, 'test/fixtures/codex/live-codex-tool/stdout.log');
/** A program of the user's own that prints what codex prints, with other arguments. */
const DEFINED = `engines:
  my-agent:
    extends: codex
    title: My agent
    command: ['${process.execPath}', '${ASKS}']
    start: [exec, start, '{prompt}']
    resume: [exec, resume, '{session}', '{prompt}']
`;

/** A sandbox with this configuration of the user's. */
function withConfig(text = DEFINED): Sandbox {
  const box = sandbox();
  fs.writeFileSync(path.join(box.home, 'config.yaml'), text, { mode: 0o600 });
  return box;
}

const metaOf = (box: Sandbox, runId: string, attempt: number) =>
  JSON.parse(fs.readFileSync(path.join(box.audit(runId), `meta.${attempt}.json`), 'utf8')) as Meta;
const recordOf = ({ home }: Sandbox, runId: string) =>
  JSON.parse(fs.readFileSync(path.join(home, 'runs', runId, '.run.json'), 'utf8')) as RunRecord;

describe('an engine that the configuration defines', () => {
  test('runs, asks and is resumed like one of tacho’s own', async () => {
    const box = withConfig();
    const asked = await box.jsonHere(['run', 'my-agent', '--mode', 'interactive', 'paint the door']);
    expect(asked).toMatchObject({ status: 'waiting_user', completion: { reason_code: 'WAITING_FOR_USER' } });
    expect(asked.run_id).toMatch(/^\d{8}T\d{6}-my-agent-[0-9a-f]{8}$/);
    const resumed = await box.jsonHere(['resume', asked.run_id, 'blue']);
    expect(resumed).toMatchObject({ status: 'succeeded', completion: { reason_code: 'DONE_MARKER' } });
    const said = box.events(asked.run_id).filter(({ event }) => event.type === 'agent.message.final');
    expect(said.map(({ source, data }) => [source.engine, source.parser, (data as { text: string }).text])).toEqual([
      ['my-agent', 'codex_ndjson', 'Which colour?'],
      ['my-agent', 'codex_ndjson', expect.stringContaining('You said blue.')],
    ]);
  });

  test('starts a run by its name alone, and is completed, listed and refused by it', async () => {
    const box = withConfig();
    const { code, stdout } = await box.here(['my-agent', 'paint the door']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Which colour?')]);
    const { engines } = await box.jsonHere<{ engines: EngineFacts[] }>(['engines']);
    expect(engines.at(-1)).toMatchObject({ name: 'my-agent', title: 'My agent', installed: true, extends: 'codex' });
    const refused = await box.jsonHere<{ error: { fix: string } }>(['run', 'my-agnet', '--', 'hello']);
    expect(refused.error.fix).toContain('my-agent');
    const { stderr } = await box.here(['engines', 'install', 'my-agent']);
    expect(stderr).toContain('npm does not have My agent');
    expect((await box.here(['completion', 'bash'])).stdout).toContain('my-agent');
  });

  test('leaves a record that can be read when its definition is gone', async () => {
    const box = withConfig(`${DEFINED}    signals: { terminal: [turn.started] }\n`);
    const { run_id } = await box.jsonHere(['run', 'my-agent', 'paint the door']);
    const imported = await box.jsonHere(['import', 'my-agent', '--stdout', CODEX_LOG, '--exit-code', '0']);
    const reading = {
      extends: 'codex',
      title: 'My agent',
      terminal_by: 'engine',
      signals: { started: ['turn.started'], terminal: ['turn.started'], failed: ['turn.failed'] },
    };
    for (const id of [run_id, imported.run_id]) {
      expect(recordOf(box, id).reading).toEqual(reading);
      expect(metaOf(box, id, 1)).toMatchObject({ engine: 'my-agent', reading });
    }
    expect(metaOf(box, run_id, 1).completion.evidence[0]).toMatchObject({ kind: 'terminal', detail: 'turn.started' });

    fs.rmSync(path.join(box.home, 'config.yaml'));
    for (const id of [run_id, imported.run_id]) {
      expect((await box.here(['reparse', id])).stdout).toContain('identical');
      expect((await box.here(['verify', id])).code).toBe(0);
      expect((await box.here(['show', id, '--chat'])).code).toBe(0);
    }
    const reopened = await box.jsonHere<{ error: { code: string } }>(['resume', '--reopen', run_id, 'blue']);
    expect(reopened.error.code).toBe('UNKNOWN_ENGINE');
  });

  test('of an untrusted folder is not known, and the refusal says why', async () => {
    const box = sandbox();
    fs.mkdirSync(path.join(box.work, 'config'));
    fs.writeFileSync(path.join(box.work, 'config/tacho.yaml'), DEFINED);
    for (const words of [
      ['run', 'my-agent', 'hello'],
      ['my-agent', 'hello'],
    ]) {
      const { code, stderr } = await box.here(words);
      expect(code).toBe(2);
      expect(stderr).toContain('config/tacho.yaml defines it, but the folder is not trusted');
    }
    trustFolder(box.work, { dataFolder: box.home, env: {} });
    expect((await box.here(['my-agent', 'hello'])).code).toBe(0);
  });

  test('has a place for every value it is given, or refuses it', async () => {
    const box = withConfig();
    const refusal = (...words: string[]) =>
      box.jsonHere<{ error: { code: string; message: string } }>(['run', 'my-agent', ...words, 'hello']);
    for (const words of [
      ['--model', 'big'],
      ['--base-url', 'http://127.0.0.1:9'],
      ['--engine-arg', '-v'],
    ]) {
      expect((await refusal(...words)).error).toMatchObject({
        code: 'USAGE',
        message: expect.stringContaining('My agent has no place for'),
      });
    }
  });

  test('can print plain text, which exit 0 ends', async () => {
    const box = withConfig(`engines:\n  says: { extends: text, command: [echo], start: ['you said', '{prompt}'] }\n`);
    const answer = await box.jsonHere(['run', 'says', 'hello']);
    expect(answer.completion).toMatchObject({ state: 'completed', reason_code: 'EXIT_ZERO' });
    expect((await box.here(['show', answer.run_id, '--chat'])).stdout).toContain('you said hello');
    expect((await box.here(['reparse', answer.run_id])).stdout).toContain('identical');
  });
});

describe('a command that prints the format of an engine', () => {
  const print = ['cat', CODEX_LOG];

  test('is read as that engine and cannot be resumed', async () => {
    const box = sandbox();
    const answer = await box.jsonHere(['run', '--parse', 'codex', ...print]);
    expect(answer.completion).toMatchObject({ state: 'completed', reason_code: 'DONE_MARKER' });
    expect(metaOf(box, answer.run_id, 1)).toMatchObject({ engine: 'codex', command: 'cat', environment: 'inherited' });
    const chat = await box.here(['run', '--parse', 'codex', ...print]);
    expect(chat.stdout).toContain('The task is complete.');
    expect((await box.here(['reparse', answer.run_id])).stdout).toContain('identical');
    const refused = await box.jsonHere<{ error: { code: string } }>(['resume', '--reopen', answer.run_id, 'more']);
    expect(refused.error.code).toBe('SESSION_UNKNOWN');
  });

  test('is interrupted without the engine’s terminal signal, unless a definition says that exit 0 is the end', async () => {
    const box = withConfig(`engines:\n  quiet: { extends: codex, terminal_by: process }\n`);
    const half = path.join(box.work, 'half.log');
    fs.writeFileSync(half, fs.readFileSync(CODEX_LOG, 'utf8').split('\n').slice(0, 2).join('\n'));
    const reasonOf = async (engine: string) =>
      (await box.jsonHere<RunAnswer>(['run', '--parse', engine, 'cat', half])).completion.reason_code;
    expect(await reasonOf('codex')).toBe('ENGINE_ENDED_WITHOUT_TERMINAL_EVENT');
    expect(await reasonOf('quiet')).toBe('EXIT_ZERO');
  });

  test.each([
    [['--parse', 'nobody', 'ls'], 'UNKNOWN_ENGINE'],
    [['--parse', 'on', 'ls'], 'USAGE'],
    [['codex', '--parse', 'claude', 'hello'], 'USAGE'],
    [['--parse', 'codex', '--mode', 'interactive', 'ls'], 'USAGE'],
  ])('%j is refused', async (words, code) => {
    const { error } = await sandbox().jsonHere<{ error: { code: string } }>(['run', ...words]);
    expect(error.code).toBe(code);
  });
});

describe('over HTTP', () => {
  const service = sharedService();

  test('a run can name an engine of its folder, and a command the format it prints', async () => {
    const { client } = service;
    const cwd = temporaryFolder();
    fs.mkdirSync(path.join(cwd, 'config'));
    fs.writeFileSync(path.join(cwd, 'config/tacho.yaml'), DEFINED);
    await expect(client.createRun({ engine: 'my-agent', prompt: 'hello', cwd })).rejects.toMatchObject({
      code: 'UNKNOWN_ENGINE',
    });
    trustFolder(cwd, { dataFolder: service.home, env: {} });
    const asked = await client.createRun({ engine: 'my-agent', prompt: 'hello', cwd, mode: 'interactive' });
    // The settled request has the definition, so its file is no longer needed.
    fs.rmSync(path.join(cwd, 'config'), { recursive: true });
    await whenResting(client, asked.run_id);
    const { question } = await client.getRun(asked.run_id);
    await client.reply(asked.run_id, { interaction_id: question!.interaction_id, text: 'blue' });
    await whenResting(client, asked.run_id);
    expect(await client.getRun(asked.run_id)).toMatchObject({ engine: 'my-agent', status: 'succeeded' });

    const read = await client.createRun({ command: ['cat', CODEX_LOG], parse_as: 'codex' });
    await whenResting(client, read.run_id);
    expect(await client.getRun(read.run_id)).toMatchObject({ engine: 'codex', status: 'succeeded', parse_as: 'codex' });
    const definition = { extends: 'codex', command: [process.execPath, ASKS], start: ['{prompt}'] } as const;
    const sent = await client.createRun({
      engine: 'theirs',
      prompt: 'hi',
      definition: structuredClone(definition) as never,
    });
    await whenResting(client, sent.run_id);
    expect(await client.getRun(sent.run_id)).toMatchObject({ engine: 'theirs', status: 'succeeded' });
    await expect(
      client.createRun({ engine: 'codex', prompt: 'hi', definition: structuredClone(definition) as never }),
    ).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
  });
});
