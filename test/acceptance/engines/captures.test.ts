import { describe, expect, test } from 'vitest';
import type { RaspData, RaspType } from '../../../src/protocol/index.ts';
import { exitOf, type Fixture, listFixtures } from '../../support/fixtures.ts';
import { proofSize } from '../../support/proof-size.ts';
import { type Sandbox, sandbox } from '../../support/tacho.ts';

interface Imported {
  run_id: string;
  session_id: string | null;
  completion: { state: string; reason_code: string };
  events: Record<string, number>;
  coverage: number;
}

const ENGINES = [...new Set(listFixtures().map(({ engine }) => engine))];

describe('a capture of a real CLI gives the conversation that was expected of it', () => {
  test.each(ENGINES)('%s', async (engine) => {
    const box = sandbox();
    const fixtures = listFixtures().filter((one) => one.engine === engine);
    for (const fixture of proofSize({ small: fixtures.filter((_, index) => index % 8 === 0), full: fixtures })) {
      await checkSplit(box, fixture, 'auto');
      const { auto, interactive } = fixture.expected.completion;
      if (auto.state !== interactive.state) await checkSplit(box, fixture, 'interactive');
      if (fixture.expected.pty) await checkMerged(box, fixture);
    }
  });
});

async function checkSplit(box: Sandbox, fixture: Fixture, mode: 'auto' | 'interactive'): Promise<void> {
  const { engine, name, folder, expected } = fixture;
  const logs = ['--stdout', `${folder}/stdout.log`, '--stderr', `${folder}/stderr.log`];
  const exit = String(exitOf(folder, 'split'));
  const imported = await box.jsonHere<Imported>(['import', engine, ...logs, '--exit-code', exit, '--mode', mode]);
  const told = factsOf(box, imported);
  const facts = {
    session_id: expected.session_id,
    final_messages: expected.final_messages,
    reasoning: expected.reasoning,
    tools: expected.tools,
    completion: unanswerable(expected.completion[mode]),
    coverage: 1,
  };
  expect(told, `${engine}/${name} ${mode}`).toEqual(facts);
  // What `--json` counts is what is in the journal.
  const counted = Object.values(imported.events).reduce((sum, count) => sum + count, 0);
  const parserBorn = box.events(imported.run_id).filter(({ source }) => source.stream !== null);
  expect(counted).toBe(parserBorn.length);
}

/** A question in an imported log cannot be answered any more. */
function unanswerable(completion: Imported['completion']): Imported['completion'] {
  return completion.state === 'awaiting_user_input'
    ? { state: 'interrupted', reason_code: 'QUESTION_UNANSWERED' }
    : completion;
}

async function checkMerged(box: Sandbox, { engine, name, folder, expected }: Fixture): Promise<void> {
  const exit = String(exitOf(folder, 'pty'));
  const imported = await box.jsonHere<Imported>(['import', engine, '--pty', `${folder}/pty.log`, '--exit-code', exit]);
  const { session_id, final_messages, tools, coverage } = factsOf(box, imported);
  const facts = {
    session_id: expected.pty!.session_id,
    final_messages: expected.final_messages,
    tools: expected.tools,
    coverage: 1,
  };
  expect({ session_id, final_messages, tools, coverage }, `${engine}/${name} on one terminal`).toEqual(facts);
}

function factsOf(box: Sandbox, { run_id, session_id, completion, coverage }: Imported) {
  const events = box.events(run_id);
  const of = <T extends RaspType>(type: T) =>
    events.filter(({ event }) => event.type === type).map(({ data }) => data as RaspData<T>);
  const ended = events.filter(({ event }) => /^tool\.call\.(completed|failed)$/.test(event.type));
  return {
    session_id,
    final_messages: of('agent.message.final').map(({ text }) => text),
    reasoning: of('agent.reasoning.summary').map(({ text }) => text),
    tools: ended.map(({ event, data }) => {
      const { name, kind } = data as RaspData<'tool.call.completed'>;
      return { name, kind, state: event.type === 'tool.call.failed' ? 'failed' : 'completed' };
    }),
    completion: { state: completion.state, reason_code: completion.reason_code },
    coverage,
  };
}
