import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Agent } from '../../../src/agent/agent.ts';
import {
  answerQuestion,
  decideApproval,
  pendingApprovals,
  pendingQuestions,
} from '../../../src/agent/pending/index.ts';
import { secretForms } from '../../../src/agent/wal/redaction/secret-forms.ts';
import { type AgentEvent, agentEventDataSchemas } from '../../../src/protocol/index.ts';
import { builtProgram } from '../../support/program.ts';
import { temporaryFolder } from '../../support/tacho.ts';
import { RUN, SECRET, secretAgentOptions } from './programs/secret-agent.ts';

interface Seen {
  result: { status: string; message?: string; approvals?: string[]; questions?: string[] };
  seen: AgentEvent[];
  prompts: unknown[];
}

function runProcess(how: 'start' | 'resume', workspace: string): Seen {
  const file = builtProgram(fileURLToPath(new URL('./programs/secret-run.ts', import.meta.url)));
  const text = execFileSync(process.execPath, [file, how, workspace], { maxBuffer: 2 ** 28, encoding: 'utf8' });
  return JSON.parse(text) as Seen;
}

const FORMS = secretForms(SECRET);

function formsIn(text: string): string[] {
  return FORMS.filter((form) => text.includes(form));
}

function filesBelow(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

it('a secret is in no file but the vault, in no event and in no error, and the model gets it all the same', async () => {
  const workspace = temporaryFolder();
  fs.writeFileSync(path.join(workspace, 'secret.txt'), `${SECRET}\n`);
  const folder = path.join(workspace, '.tacho/runs', RUN);

  function expectHidden({ result, seen }: Seen): void {
    expect(formsIn(JSON.stringify(result))).toEqual([]);
    // As a text and as it is delivered: JSON within JSON is a spelling of its own.
    for (const event of seen) expect(formsIn(JSON.stringify(event)), event.type).toEqual([]);
    for (const { type, data } of seen) agentEventDataSchemas[type].parse(data);
    for (const file of filesBelow(folder)) {
      if (path.basename(file) === 'vault') continue;
      expect(formsIn(fs.readFileSync(file, 'utf8')), file).toEqual([]);
    }
  }

  const first = runProcess('start', workspace);
  expect(first.result).toMatchObject({ status: 'waiting', approvals: [`${RUN}.a1`] });
  expectHidden(first);
  const [approval] = await pendingApprovals(workspace);
  expect(approval!.request.summary).toBe("echo asked '[secret TOKEN]'");
  await decideApproval(workspace, approval!.request.approval_id, 'approved');

  const second = runProcess('resume', workspace);
  expect(second.result).toMatchObject({ status: 'waiting', questions: [`${RUN}.q1`] });
  expectHidden(second);
  const [question] = await pendingQuestions(workspace);
  expect(question!.question.questions[0]!.text).toBe('Which one? [secret TOKEN]');
  await answerQuestion(workspace, question!.question.question_id, {
    [question!.question.questions[0]!.id]: 'that one',
  });

  const third = runProcess('resume', workspace);
  expect(third.result).toMatchObject({ status: 'failed', message: 'the key [secret TOKEN] is not valid' });
  expectHidden(third);

  const prompt = third.prompts.at(-1) as { role: string; content: unknown }[];
  const text = JSON.stringify(prompt);
  const quoted = (value: string) => JSON.stringify(value).slice(1, -1);
  expect(text).not.toContain('[secret');
  for (const part of [
    `The token is ${SECRET}, is it not?`,
    `I know ${SECRET}.`,
    `plain ${SECRET} url ${encodeURIComponent(SECRET)}`,
    `base64 ${Buffer.from(`user:${SECRET}`).toString('base64')}`,
    `${SECRET}\n${SECRET}\n${Buffer.from(`${SECRET}\n`).toString('base64')}`,
    `asked ${SECRET}`,
  ]) {
    expect(text).toContain(quoted(part));
  }
  const files = filesBelow(folder).map((file) => path.relative(folder, file));
  expect(files.filter((file) => file.startsWith('artifacts/'))).toHaveLength(1);
  expect(fs.readFileSync(path.join(workspace, 'copy.txt'), 'utf8')).toBe(SECRET);
  const replayed = await new Agent(await secretAgentOptions(workspace)).replay(RUN);
  expect(replayed).toMatchObject({ identical: true });
});
