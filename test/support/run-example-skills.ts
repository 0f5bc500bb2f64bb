import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../src/demo/index.ts';
import { type AttemptResult, attemptResultSchema } from '../../src/protocol/index.ts';
import { playExampleSkills, QUESTION, writeExampleProject } from './example-skill-scripts.ts';
import { projectRoot, type RunAnswer, type Sandbox, sandbox, type TachoOptions } from './tacho.ts';

interface Variant {
  title: string;
  engine: string;
  words?: readonly string[];
  /** Leaves out the mode without questions, in which an engine does nothing that it does not do for the other skills. */
  briefly?: boolean;
  options(): TachoOptions;
}

/** Tests that run the example skills on an engine, whose model follows a script. */
export function testExampleSkills({ title, engine, words = [], briefly = false, options }: Variant): void {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer({ script: playExampleSkills });
  });
  afterAll(() => server.close());

  /** Runs a skill in a new project, and checks that the project stays as it was. */
  async function runSkill(skill: string, ...more: string[]) {
    const box = sandbox();
    fs.cpSync(path.join(projectRoot, 'examples/skills'), path.join(box.home, 'skills'), { recursive: true });
    writeExampleProject(box.work);
    const run = ['run', engine, ...words, '--base-url', server.url, '--skill', skill, ...more];
    const answer = await box.jsonHere<RunAnswer & { question: string | null }>(run, options());
    expect(gitStatus(box.work)).toBe('');
    return { box, answer };
  }

  test(`${title}: review-diff finds a defect`, async () => {
    const { box, answer } = await runSkill('review-diff', '--input', '{"base": "HEAD~1"}');
    expect(answer, answer.finished.stderr).toMatchObject({
      status: 'succeeded',
      completion: { reason_code: 'DONE_MARKER' },
    });
    expect(resultOf(box, answer)).toMatchObject({
      validity: { state: 'valid' },
      payload: { verdict: 'request_changes', findings: [{ file: 'total.js', line: 3, severity: 'major' }] },
    });
  });

  test(`${title}: release-notes asks one question in interactive mode, and follows the answer`, async () => {
    const { box, answer } = await runSkill('release-notes', '--mode', 'interactive');
    expect(answer, answer.finished.stderr).toMatchObject({ status: 'waiting_user' });
    expect(answer.question).toContain(QUESTION);
    expect(answer.question).not.toContain('__SKILL_DONE__');
    const replied = await box.jsonHere(['resume', answer.run_id, 'Totals for everyone.'], options());
    expect(replied, replied.finished.stderr).toMatchObject({ status: 'succeeded', attempt: 2 });
    const { payload, validity, artifacts } = resultOf(box, replied);
    expect({ payload, state: validity.state }).toMatchObject({
      payload: { highlight: 'Totals for everyone.' },
      state: 'valid',
    });
    expect(artifacts).toMatchObject([{ path: 'RELEASE_NOTES.md', role: 'notes', mime: 'text/markdown' }]);
  });

  test(`${title}: extract-table makes a table as JSON and CSV`, async () => {
    const input = JSON.stringify({ documents: ['invoices'], row: 'an invoice' });
    const { box, answer } = await runSkill('extract-table', '--input', input);
    expect(answer, answer.finished.stderr).toMatchObject({ status: 'succeeded' });
    const { payload, validity, artifacts } = resultOf(box, answer);
    expect({ payload, state: validity.state }).toMatchObject({
      payload: {
        rows: [
          ['A-1', 12.5],
          ['A-2', 7],
        ],
      },
      state: 'valid',
    });
    expect(artifacts.map(({ path }) => path).sort()).toEqual(['table.csv', 'table.json']);
    const folder = path.join(box.work, 'out');
    await box.here(['result', answer.run_id, '--artifacts', folder]);
    expect(fs.readFileSync(path.join(folder, 'table.csv'), 'utf8')).toBe('number,total\nA-1,12.5\nA-2,7\n');
  });

  if (!briefly) {
    test(`${title}: release-notes takes the first change as the highlight when nobody answers`, async () => {
      const { box, answer } = await runSkill('release-notes');
      expect(answer, answer.finished.stderr).toMatchObject({ status: 'succeeded', attempt: 1 });
      expect(resultOf(box, answer).payload).toMatchObject({ version: '1.1.0', highlight: 'Add the total of an order' });
    });
  }
}

function resultOf(box: Sandbox, { run_id, attempt }: RunAnswer): AttemptResult {
  const file = path.join(box.audit(run_id), `result.${attempt}.json`);
  return attemptResultSchema.parse(JSON.parse(fs.readFileSync(file, 'utf8')));
}

function gitStatus(folder: string): string {
  return spawnSync('git', ['status', '--porcelain'], { cwd: folder, encoding: 'utf8' }).stdout;
}
