import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Agent } from '../../../src/agent/agent.ts';
import { decideApproval, pendingApprovals } from '../../../src/agent/pending/index.ts';
import { openRecordedRun } from '../../../src/agent/wal/index.ts';
import { ApprovalFolder } from '../../../src/approvals/index.ts';
import { builtProgram } from '../../support/program.ts';
import { crashPlace, type Outcome, type Place, runProcess } from './crash-driver.ts';
import { crashAgentOptions, RUN } from './programs/crash-agent.ts';

const ID = `${RUN}.a1`;
const ASKED = JSON.stringify({ command: 'echo asked >> log.txt' });

async function waitingRun(): Promise<Place> {
  const place = crashPlace();
  expect(await runProcess('start', place)).toMatchObject({ status: 'waiting', approvals: [ID], questions: [] });
  return place;
}

async function decideElsewhere({ workspace }: Place, decision: string): Promise<string> {
  const file = builtProgram(fileURLToPath(new URL('./programs/decide.ts', import.meta.url)));
  const { stdout } = await promisify(execFile)(process.execPath, [file, workspace, ID, decision]);
  return stdout.trim();
}

function approvalFile({ runFolder }: Place, kind: 'request' | 'decision'): string {
  return path.join(runFolder, 'approvals', `${ID}.${kind}.json`);
}

/** How often the command that was asked about has run. */
function timesRun({ side }: Place): number {
  return fs
    .readFileSync(side, 'utf8')
    .split('\n')
    .filter((line) => line === ASKED).length;
}

async function resultOfAsked({ workspace }: Place): Promise<{ error_kind: string; stderr: string }> {
  const recorded = openRecordedRun(path.join(workspace, '.tacho/runs', RUN, 'events.jsonl'));
  try {
    for await (const { type, data } of recorded.read()) {
      if (type === 'tool_call_finished' && 'call_id' in data && data.call_id === 'asked') {
        return (data as { result: { error_kind: string; stderr: string } }).result;
      }
    }
  } finally {
    recorded.close();
  }
  throw new Error('the call has no result');
}

describe('an approval that outlives its process', () => {
  it('is listed, decided by another process, and carried out once by a third', async () => {
    const place = await waitingRun();
    const [pending, ...more] = await pendingApprovals(place.workspace);
    expect(more).toEqual([]);
    expect(pending!.request).toMatchObject({
      approval_id: ID,
      tool: 'shell_command',
      summary: 'echo asked >> log.txt',
    });
    expect(await runProcess('resume', place)).toMatchObject({ status: 'waiting' });
    expect(await decideElsewhere(place, 'approved')).toBe('approved');
    expect(await pendingApprovals(place.workspace)).toEqual([]);
    expect(timesRun(place)).toBe(0);
    expect(await runProcess('resume', place)).toMatchObject({ status: 'completed' });
    expect(timesRun(place)).toBe(1);
    expect(await runProcess('resume', place)).toMatchObject({ status: 'error', code: 'RUN_ENDED' });
    expect(timesRun(place)).toBe(1);
  });

  it('has one decision, however many processes decide', async () => {
    const place = await waitingRun();
    const decisions = ['approved', 'denied', 'approved_for_session', 'denied'];
    const answers = await Promise.all(decisions.map((decision) => decideElsewhere(place, decision)));
    expect(new Set(answers).size).toBe(1);
    expect(await decideElsewhere(place, 'abort')).toBe(answers[0]);
    expect(await runProcess('resume', place)).toMatchObject({ status: 'completed' });
    expect(timesRun(place)).toBe(answers[0] === 'denied' ? 0 : 1);
  });

  it('is not found by any other id', async () => {
    const { workspace } = await waitingRun();
    for (const id of ['run-crash.a2', 'run-crash.q1', 'other.a1', '../run-crash.a1', 'run-crash', '']) {
      await expect(decideApproval(workspace, id, 'approved')).rejects.toThrow(
        expect.objectContaining({ code: 'APPROVAL_NOT_FOUND' }),
      );
    }
  });
});

/** What somebody without the key of the run may do to the files of an approval, between request and resume. */
const tampering: Record<string, (place: Place) => void | Promise<void>> = {
  'a request that shows something else': async (place) => {
    const file = approvalFile(place, 'request');
    const text = fs.readFileSync(file, 'utf8').replaceAll('echo asked >> log.txt', 'ls');
    fs.writeFileSync(file, text);
    await expect(decideApproval(place.workspace, ID, 'approved')).rejects.toThrow();
    // Even with a decision.
    new ApprovalFolder(path.dirname(file)).decide(ID, approved(), { digest: digestIn(place) });
  },
  'a request for another digest': (place) => {
    const file = approvalFile(place, 'request');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(digestIn(place), '0'.repeat(64)));
    new ApprovalFolder(path.dirname(file)).decide(ID, approved(), { digest: digestIn(place) });
  },
  'a decision that is not signed': (place) => {
    const file = approvalFile(place, 'decision');
    new ApprovalFolder(path.dirname(file)).decide(ID, approved(), { digest: digestIn(place) });
  },
  'a decision that was changed': async (place) => {
    const file = approvalFile(place, 'decision');
    await decideApproval(place.workspace, ID, 'denied');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"denied"', '"approved"'));
  },
  'a decision of another approval': async (place) => {
    const file = approvalFile(place, 'decision');
    await decideApproval(place.workspace, ID, 'denied');
    fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, 'utf8')), digest: '0'.repeat(64) }));
  },
  'a decision that cannot be read': (place) => fs.writeFileSync(approvalFile(place, 'decision'), '{"answer":'),
};

function approved() {
  return { decision: 'approved', reason: null, rule: null, by: 'somebody' } as const;
}

function digestIn(place: Place): string {
  return JSON.parse(fs.readFileSync(approvalFile(place, 'request'), 'utf8')).request.digest as string;
}

describe('files of an approval that were changed from outside', () => {
  it.each(Object.entries(tampering))('%s: the call is refused', async (_, change) => {
    const place = await waitingRun();
    await change(place);
    expect(await runProcess('resume', place)).toMatchObject({ status: 'completed' });
    expect(timesRun(place)).toBe(0);
    expect(await resultOfAsked(place)).toMatchObject({ error_kind: 'denied' });
  });
});

/** What somebody may do to the log of a run that waits. The arguments of the call are in the log and in the vault. */
const damage: Record<string, [change: (place: Place) => void, code: string]> = {
  'other arguments in the log': [
    ({ runFolder }) =>
      edit(path.join(runFolder, 'events.jsonl'), (text) => text.replaceAll('echo asked', 'echo other')),
    'JOURNAL_DAMAGED',
  ],
  'a log without its last line': [
    ({ runFolder }) => edit(path.join(runFolder, 'events.jsonl'), (text) => text.replace(/[^\n]*\n$/, '')),
    'JOURNAL_DAMAGED',
  ],
  'an empty log': [({ runFolder }) => edit(path.join(runFolder, 'events.jsonl'), () => ''), 'JOURNAL_DAMAGED'],
  'a log without its signed position': [({ runFolder }) => fs.rmSync(path.join(runFolder, 'head')), 'JOURNAL_DAMAGED'],
  'a vault with other bytes': [
    ({ runFolder }) => {
      const file = path.join(runFolder, 'vault');
      const bytes = fs.readFileSync(file);
      for (let at = 64; at < bytes.length; at++) bytes[at]! ^= 1;
      fs.writeFileSync(file, bytes);
    },
    'VAULT_DAMAGED',
  ],
  'no vault': [({ runFolder }) => fs.rmSync(path.join(runFolder, 'vault')), 'VAULT_DAMAGED'],
};

function edit(file: string, change: (text: string) => string): void {
  fs.writeFileSync(file, change(fs.readFileSync(file, 'utf8')));
}

describe('a run that was changed from outside', () => {
  it.each(Object.entries(damage))('is not resumed: %s', async (_, [change, code]) => {
    const place = await waitingRun();
    await decideApproval(place.workspace, ID, 'approved');
    change(place);
    expect(await runProcess('resume', place)).toMatchObject({ status: 'error', code });
    expect(timesRun(place)).toBe(0);
  });
});

describe('a run that is resumed twice at the same time', () => {
  it('goes on in one process; the other one is told which', async () => {
    const place = await waitingRun();
    await decideApproval(place.workspace, ID, 'approved');
    const options = await crashAgentOptions(place.workspace, { side: place.side, at: () => {} });
    let inside: Promise<Outcome> | null = null;
    const tools = options.tools!.map((one) => ({
      ...one,
      execute: async (input: never, context: never) => {
        inside = runProcess('resume', place);
        await inside;
        return await one.execute(input, context);
      },
    }));
    expect(await new Agent({ ...options, tools }).resume(RUN).result).toMatchObject({ status: 'completed' });
    const other = (await inside!) as Outcome;
    expect(other).toMatchObject({ status: 'error', code: 'RUN_LOCKED', facts: { pid: process.pid } });
    expect(other.message).toContain(String(process.pid));
    expect(timesRun(place)).toBe(1);
  });

  it('is carried out once by any number of processes', async () => {
    const place = await waitingRun();
    await decideApproval(place.workspace, ID, 'approved');
    const outcomes = await Promise.all([1, 2, 3].map(() => runProcess('resume', place)));
    const done = outcomes.filter(({ status }) => status === 'completed');
    expect(done).toHaveLength(1);
    for (const outcome of outcomes.filter((one) => one !== done[0])) {
      expect(['RUN_LOCKED', 'RUN_ENDED']).toContain(outcome.code);
    }
    expect(timesRun(place)).toBe(1);
  });
});
