import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ResultSources, takeResult } from '../../../src/runs/result/take-result.ts';
import { compileSchema } from '../../../src/skills/package/json-schema.ts';

const SCHEMA = { type: 'object', properties: { line: { type: 'integer' } }, required: ['line'] };

describe('takeResult', () => {
  let root: string;
  let sources: ResultSources;
  const write = (folder: string, name: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  };
  const said = (final: string) => ({ ...sources, messages: { final, before: null } });

  beforeEach(async () => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-result-'));
    const [artifactsFolder, workspace] = ['artifacts', 'work'].map((name) => path.join(root, name)) as [string, string];
    for (const folder of [artifactsFolder, workspace]) fs.mkdirSync(folder);
    sources = {
      messages: { final: null, before: null },
      entrypoint: { prompts: {}, result_json_filename: 'out/result.json' },
      artifactsFolder,
      workspace,
      runStartedAt: 0,
      hideSecrets: (text) => text.replaceAll('hunter2', '*******'),
      check: await compileSchema(SCHEMA),
    };
  });

  afterEach(() => fs.rmSync(root, { recursive: true }));

  it('takes a valid message', () => {
    expect(takeResult(said('{"line": 3, "__SKILL_DONE__": true}'))).toEqual({
      payload: { line: 3 },
      payload_from: { kind: 'message' },
      validity: { state: 'valid', violations: [] },
    });
  });

  it('takes the file of the artifacts before that of the workspace and the message, without secrets and marker', () => {
    write(sources.artifactsFolder, 'out/result.json', '{"line": 1, "key": "hunter2", "__SKILL_DONE__": true}');
    write(sources.workspace, 'out/result.json', '{"line": 2}');
    expect(takeResult(said('{"line": 3}'))).toEqual({
      payload: { line: 1, key: '*******' },
      payload_from: { kind: 'file', path: 'out/result.json', in: 'artifacts' },
      validity: { state: 'valid', violations: [] },
    });
  });

  it('takes the next place if one holds no valid result, and reports the first one if none does', () => {
    write(sources.artifactsFolder, 'out/result.json', '{"line": "one"}');
    expect(takeResult(said('{"line": 3}')).payload).toEqual({ line: 3 });
    expect(takeResult(said('Nothing to say.'))).toEqual({
      payload: { line: 'one' },
      payload_from: { kind: 'file', path: 'out/result.json', in: 'artifacts' },
      validity: { state: 'invalid', violations: [{ path: '/line', message: 'must be integer' }] },
    });
  });

  it('leaves alone a file of the workspace that is older than the run', () => {
    write(sources.workspace, 'out/result.json', '{"line": 2}');
    fs.utimesSync(path.join(sources.workspace, 'out/result.json'), 1000, 1000);
    expect(takeResult({ ...said('{"line": 3}'), runStartedAt: 2_000_000 }).payload).toEqual({ line: 3 });
    expect(takeResult({ ...said('{"line": 3}'), runStartedAt: 500_000 }).payload).toEqual({ line: 2 });
  });

  it.each([
    ['is not JSON', '{"line": 1'],
    ['has 1048590 bytes; the limit is 1048576', `{"line": 1}${' '.repeat(1024 * 1024 + 3)}`],
  ])('reports a file that %s', (wrong, text) => {
    write(sources.artifactsFolder, 'out/result.json', text);
    expect(takeResult(sources).validity).toEqual({
      state: 'invalid',
      violations: [{ path: '', message: `the file "out/result.json" ${wrong}` }],
    });
  });

  it('never reads through a link, and never waits for a pipe', () => {
    write(sources.workspace, 'secret.json', '{"line": 666}');
    const link = path.join(sources.artifactsFolder, 'out');
    fs.symlinkSync(sources.workspace, link);
    const none = { state: 'invalid', violations: [{ path: '', message: 'there is no result' }] };
    const named = (name: string) => ({ ...sources, entrypoint: { prompts: {}, result_json_filename: name } });
    expect(takeResult(named('out/secret.json')).validity).toEqual(none);
    fs.rmSync(link);
    fs.symlinkSync(path.join(sources.workspace, 'secret.json'), path.join(sources.artifactsFolder, 'result.json'));
    expect(takeResult(named('result.json')).validity).toEqual(none);
    expect(takeResult(named('out')).validity).toEqual(none);
  });

  it('does not check without a schema, but limits the size', () => {
    const unchecked = { ...sources, check: null };
    expect(takeResult({ ...unchecked, messages: { final: 'All is well.', before: null } })).toEqual({
      payload: 'All is well.',
      payload_from: { kind: 'message' },
      validity: { state: 'unchecked', violations: [] },
    });
    expect(takeResult(unchecked)).toEqual({
      payload: null,
      payload_from: null,
      validity: { state: 'unchecked', violations: [] },
    });
    const huge = { ...unchecked, messages: { final: JSON.stringify(['x'.repeat(1024 * 1024)]), before: null } };
    expect(takeResult(huge).validity.state).toBe('invalid');
  });

  it('says that a message in prose has no JSON', () => {
    expect(takeResult(said('I could not find it.')).validity.violations).toEqual([
      { path: '', message: 'the final message holds no JSON value' },
      { path: '', message: 'must be object' },
    ]);
  });
});
