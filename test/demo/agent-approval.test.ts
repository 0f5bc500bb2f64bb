import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../src/demo/agent/agent-event.ts';
import { decisionInWords } from '../../src/demo/agent/decision.ts';
import { finished, temporaryFolder, until } from '../support/tacho.ts';
import { agent, of, sessionOf } from './agent-process.ts';

const FILE = 'tacho-demo-old.txt';
const WORDS = ['--prompt=clean up, I approve later'];

function decide(folder: string, approvalId: string, decision: object): void {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, `${approvalId}.decision.json`), JSON.stringify(decision));
}

/** Starts a turn and returns its request; the agent waits meanwhile. */
async function asked(words: readonly string[], env: Record<string, string> = {}) {
  const { home, folder, start } = agent();
  const child = start(words, { env });
  const ended = finished(child);
  let stdout = '';
  child.stdout!.on('data', (bytes: Buffer) => {
    stdout += bytes;
  });
  const line = await until(() => wholeLines(stdout).find((text) => text.includes('"approval_requested"')));
  const request = JSON.parse(line) as Extract<AgentEvent, { type: 'approval_requested' }>;
  return { home, folder, child, ended, request };
}

const wholeLines = (text: string) => text.split('\n').slice(0, -1);

describe('an approval', () => {
  test('is awaited, and the requested action is done once a file approves it', async () => {
    const { home, folder, ended, request } = await asked(WORDS);
    expect(request).toMatchObject({ summary: `delete ${FILE}`, command: ['rm', FILE] });
    expect(fs.existsSync(path.join(folder, FILE))).toBe(true);
    decide(path.join(home, '.tacho-demo/approvals'), request.approval_id, { status: 'approved' });
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout).toContain('"decision":"approved"');
    expect(fs.existsSync(path.join(folder, FILE))).toBe(false);
  });

  test('is read from another folder if one is given', async () => {
    const approvals = temporaryFolder();
    const { folder, ended, request } = await asked(WORDS, { TACHO_DEMO_APPROVALS: approvals });
    decide(approvals, request.approval_id, { status: 'denied', decided_at: '…', reason: 'I need it' });
    const { stdout } = await ended;
    expect(stdout).toContain('"decision":"denied","reason":"I need it"');
    expect(stdout).toContain('The reason: I need it');
    expect(fs.existsSync(path.join(folder, FILE))).toBe(true);
  });

  test('may be typed; other input is ignored', async () => {
    const { child, ended, folder } = await asked(WORDS);
    child.stdin!.write('what?\nperhaps\nyes\n');
    expect((await ended).stdout).toContain('"decision":"approved"');
    expect(fs.existsSync(path.join(folder, FILE))).toBe(false);
  });

  test('is not given by an incomplete file or one with another word', async () => {
    const { home, child, ended, request } = await asked(WORDS);
    const approvals = path.join(home, '.tacho-demo/approvals');
    decide(approvals, request.approval_id, { status: 'perhaps' });
    fs.writeFileSync(path.join(approvals, `${request.approval_id}.decision.json`), '{"status":"appr');
    child.stdin!.write('no\n');
    expect((await ended).stdout).toContain('"decision":"denied"');
  });
});

describe('an approval that does not come in time', () => {
  test('suspends the turn, and reports it to the caller', async () => {
    const { play } = agent();
    const { code, events, lines } = await play([...WORDS, '--approval-wait=50']);
    expect(code).toBe(0);
    expect(events.at(-1)).toMatchObject({ type: 'turn_finished', reason: 'suspended' });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!.slice('AGENT_ENV_DONE '.length))).toMatchObject({
      state: 'awaiting_user_input',
      reason_code: 'APPROVAL_PENDING',
    });
  });

  test('may come later: as a file, or in the text of the reply', async () => {
    for (const how of ['file', 'words']) {
      const { play, folder, home } = agent();
      const first = await play([...WORDS, '--approval-wait=50']);
      const [{ approval_id } = { approval_id: '' }] = of(first.events, 'approval_requested');
      if (how === 'file') decide(path.join(home, '.tacho-demo/approvals'), approval_id, { status: 'approved' });
      const prompt = how === 'file' ? '--prompt=go on' : '--prompt=Yes, please.';
      const second = await play(['--session', sessionOf(first), prompt]);
      expect(of(second.events, 'approval_decided')).toEqual([
        { type: 'approval_decided', approval_id, decision: 'approved' },
      ]);
      expect(second.events.at(-1)).toMatchObject({ reason: 'done' });
      expect(fs.existsSync(path.join(folder, FILE))).toBe(false);
    }
  });

  test('is requested again if the reply is ambiguous', async () => {
    const { play, folder } = agent();
    const first = await play([...WORDS, '--approval-wait=50']);
    const second = await play(['--session', sessionOf(first), '--prompt=hm']);
    expect(of(second.events, 'question')).toHaveLength(1);
    expect(second.events.at(-1)).toMatchObject({ reason: 'question' });
    expect(fs.existsSync(path.join(folder, FILE))).toBe(true);
  });
});

test('only a clear answer is a decision', () => {
  for (const text of ['y', 'Yes', ' ok, do it', 'approved', 'allow']) {
    expect(decisionInWords(text)).toEqual({ decision: 'approved' });
  }
  for (const text of ['n', 'NO!', 'deny', 'denied', 'refuse']) {
    expect(decisionInWords(text)).toEqual({ decision: 'denied' });
  }
  for (const text of ['', 'yesterday', 'not sure', '1', 'nobody', 'oh yes']) expect(decisionInWords(text)).toBeNull();
});
