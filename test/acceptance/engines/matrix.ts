import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../../src/demo/index.ts';
import type { RaspEvent, RunRecord } from '../../../src/protocol/index.ts';
import { enginesFolder } from '../../support/install-engines.ts';
import { readLiveEvents, updatingFixtures, writeLiveFixture } from '../../support/live-fixture.ts';
import { normaliseEvents } from '../../support/normalise-events.ts';
import {
  type EngineAnswer,
  engineBox,
  readConversation,
  readMeta,
  runWords,
  unusedAddress,
  withEngines,
} from '../../support/real-engine.ts';
import { endingOf, SCENARIOS, type Variant } from '../../support/scenarios.ts';
import { finished, type Sandbox, until } from '../../support/tacho.ts';

/** Every scenario on one real CLI, in tacho's own terminal, against the model server. */
export function describeMatrix(variant: Variant): void {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer({});
  });
  afterAll(() => server.close());

  describe('the scenarios on the real CLI', () => {
    describe(variant.name, () => {
      const folder = variant.name.replaceAll(' ', '-');
      const address = (scenario: string, key = scenario) => `${server.url}/sc/${scenario}:${folder}-${key}`;

      test.each(SCENARIOS)('$name', async (scenario) => {
        const box = engineBox();
        const baseUrl = scenario.refused
          ? await unusedAddress()
          : address(scenario.server, scenario.name.replaceAll(' ', '-'));
        const words = [...runWords(variant, scenario, baseUrl), '--', 'PROMPT: please do the scripted task.'];
        const answer = await box.json<EngineAnswer>(words, withEngines());
        const { status, state, reason_code } = endingOf(scenario, variant.engine);
        expect({ status: answer.status, ...pick(answer) }, answer.finished.stderr).toEqual({
          status,
          state,
          reason_code,
        });
        const meta = readMeta(box, answer.run_id);
        expect(meta.parse).toMatchObject({ coverage: 1, unknown: 0 });
        expect(meta.versions.engine).toMatch(/^\d+\.\d+\.\d+$/);
        const made = box.events().filter(({ event }) => event.type === 'artifact.created');
        const paths = made.map(({ data }) => (data as { path: string }).path);
        if (scenario.artifact) expect(paths).toContain(scenario.artifact);
        await checkRecord(box, answer.run_id);
        await compareEvents(box, answer.run_id, variant.engine, `${folder}-${scenario.name.replaceAll(' ', '-')}`);
      });

      test('question then resume', async () => {
        const box = engineBox();
        const words = [
          ...runWords(variant, {}, address('ask')),
          '--mode',
          'interactive',
          '--',
          'PROMPT: paint the door.',
        ];
        const asked = await box.json<EngineAnswer>(words, withEngines());
        expect(asked.finished.code).toBe(10);
        expect({ status: asked.status, ...pick(asked) }).toEqual({
          status: 'waiting_user',
          state: 'awaiting_user_input',
          reason_code: 'WAITING_FOR_USER',
        });
        expect(asked.question).toMatch(/\?/);
        const required = readConversation(box, asked.run_id).find(({ type }) => type === 'user.input.required');
        expect(required?.data).toMatchObject({ prompt: asked.question, kind: 'free_text' });

        const replied = await box.json<EngineAnswer>(['resume', asked.run_id, 'ANSWER: blue'], withEngines());
        expect(replied).toMatchObject({
          run_id: asked.run_id,
          attempt: 2,
          status: 'succeeded',
          session_id: asked.session_id,
        });
        expect(replied.completion).toMatchObject({ state: 'completed', reason_code: 'DONE_MARKER' });
        const said = readConversation(box, asked.run_id).filter(({ type }) => type === 'user.message');
        expect(said.map(({ data }) => data)).toEqual([
          { text: 'PROMPT: paint the door.', attempt: 1 },
          { text: 'ANSWER: blue', attempt: 2 },
        ]);
        await checkRecord(box, asked.run_id);
        await compareEvents(box, asked.run_id, variant.engine, `${folder}-ask`);

        const late = await box.tacho(['resume', asked.run_id, 'ANSWER: red'], withEngines());
        expect(late).toMatchObject({ code: 1 });
        expect(late.stderr).toContain('RUN_ENDED');
      });

      test('SIGTERM', async () => {
        const box = engineBox();
        const child = box.start(
          [...runWords(variant, {}, address('hang', 'term')), '--json', '--', 'PROMPT: wait.'],
          withEngines(),
        );
        child.stdin!.end();
        const ended = finished(child);
        // In the middle of the turn: the request has reached the model server.
        await until(() =>
          server.requests().some(({ key, outcome }) => key === `${folder}-term` && outcome === 'silence'),
        );
        const [runId] = box.runIds();
        const record = JSON.parse(
          fs.readFileSync(path.join(box.home, 'runs', runId!, '.run.json'), 'utf8'),
        ) as RunRecord;
        process.kill(record.live!.child!.pid, 'SIGTERM');
        const answer = JSON.parse((await ended).stdout.trimEnd().split('\n').at(-1)!) as EngineAnswer;
        expect(answer).toMatchObject({ status: 'failed', completion: { state: 'interrupted' } });
        const reasons = { gemini: ['ENGINE_ENDED_WITHOUT_TERMINAL_EVENT'] }[variant.engine] ?? [
          'EXIT_NONZERO',
          'SIGNALED',
        ];
        expect(reasons).toContain(answer.completion.reason_code);
        await checkRecord(box, answer.run_id);
      });

      test('a readable conversation, live', async () => {
        const box = engineBox();
        const words = [
          ...runWords(variant, {}, address('tool', 'chat')),
          '--translate',
          '3',
          '--',
          'PROMPT: please do the scripted task.',
        ];
        const { stdout, code } = await box.tacho(words, withEngines());
        expect(code).toBe(0);
        expect(stdout).toContain('PROMPT: please do the scripted task.');
        expect(stdout).toMatch(/✔ succeeded/);
        expect(stdout).not.toMatch(/"type":|\u001b/);
        if (variant.name !== 'gemini json')
          expect(stdout).toMatch(/✔ (command_execution|run_shell_command|bash|Bash)\b.*mkdir/);
      });

      test.each(PROMPTS)('a prompt %s reaches the model unharmed', async (what, prompt) => {
        const box = engineBox();
        const key = `prompt-${what.replaceAll(' ', '-')}`;
        await box.json(runWords(variant, {}, address('text', key)).concat('--', prompt), withEngines());
        const asked = server.requests().filter((request) => request.key === `${folder}-${key}` && !request.side);
        // Pi gets a space before it, so that it takes no prompt for an option.
        expect(asked.map((request) => request.prompt?.replace(/^ /, ''))).toContain(prompt);
      });
    });
  });
}

const PROMPTS = [
  ['that begins with a dash', '-x is what I mean'],
  ['with newlines and quotes', `first "line"\nit's the 'second' $HOME \`id\` \\ 7`],
  ['that is a number', '42'],
] as const;

/** Sealed, and its bytes give the same events when they are read again. */
async function checkRecord(box: Sandbox, runId: string): Promise<void> {
  const reparse = await box.tacho(['reparse', runId]);
  expect(reparse.code, reparse.stdout).toBe(0);
  const verify = await box.tacho(['verify', runId]);
  expect(verify.code, verify.stdout).toBe(0);
}

async function compareEvents(box: Sandbox, runId: string, engine: string, name: string): Promise<void> {
  const replacements = [
    [box.home, '<home>'],
    [enginesFolder, '<engines>'],
  ] as const;
  const { stdout } = await box.here(['events', runId, '--json', '--full']);
  const whole = stdout.trimEnd().split('\n');
  const events = normaliseEvents(
    whole.map((line) => JSON.parse(line) as RaspEvent),
    replacements,
  );
  if (updatingFixtures) writeLiveFixture(box.audit(runId), engine, name, events);
  expect(events).toEqual(readLiveEvents(engine, name));
}

function pick({ completion: { state, reason_code } }: EngineAnswer) {
  return { state, reason_code };
}
