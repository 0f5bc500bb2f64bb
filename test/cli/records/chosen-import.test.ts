import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ImportOptions } from '../../../src/cli/commands/records.ts';
import { chooseImport } from '../../../src/cli/records/chosen-import.ts';
import { logFile, newContext } from '../../runs/import/import-context.ts';
import { type FolderAttempt, writeAttemptFolder } from '../../support/attempt-folder.ts';

const ATTEMPT: FolderAttempt = { pieces: [['stdout', '{"type":"turn.started"}\n', 1]], meta: { agent: 'codex' } };

function choose(words: string[], options: Partial<ImportOptions> = {}) {
  const chosen = chooseImport(words, options as ImportOptions, newContext());
  for (const { source } of chosen.attempts) source.close();
  return { engine: chosen.attempts[0].profile.name, format: chosen.format, attempts: chosen.attempts.length };
}

describe('what tacho import is given', () => {
  test('is a folder of attempts after --run, or as the only word, with or without an engine', () => {
    const folder = writeAttemptFolder([ATTEMPT, ATTEMPT]);
    const chosen = { engine: 'codex', format: 'folder of attempts', attempts: 2 };
    expect(choose([], { run: folder })).toEqual(chosen);
    expect(choose([folder])).toEqual(chosen);
    expect(choose(['text', folder])).toEqual({ ...chosen, engine: 'text' });
    expect(choose(['text'], { run: folder })).toEqual({ ...chosen, engine: 'text' });
  });

  test.each<[string, (folder: string, log: string) => [string[], Partial<ImportOptions>]]>([
    ['an exit code', (folder) => [[], { run: folder, exitCode: '0' }]],
    ['a stream', (folder, log) => [[], { run: folder, stdout: log }]],
    ['a stream, without --run', (folder, log) => [['codex', folder], { stderr: log }]],
    ['a timing file', (folder, log) => [[folder], { timing: log }]],
    ['a second folder', (folder) => [['codex', folder], { run: folder }]],
  ])('is refused when a folder comes with %s', (_what, given) => {
    const [words, options] = given(writeAttemptFolder([ATTEMPT]), logFile('x'));
    expect(() => choose(words, options)).toThrow(
      expect.objectContaining({ code: 'USAGE', fix: expect.stringMatching(/./) }),
    );
  });

  test('is refused when it is not there or below a file', () => {
    const log = logFile('x');
    expect(fs.existsSync(log)).toBe(true);
    for (const name of [`${log}.missing`, path.join(log, 'below')]) {
      expect(() => choose([name])).toThrow(expect.objectContaining({ code: 'IMPORT_FAILED' }));
    }
  });
});
