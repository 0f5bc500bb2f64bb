import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AgentFacts } from '../../../src/agent/facts/index.ts';
import type { PromptMessage } from '../../../src/agent/models/model.ts';
import { call, fail, say, think } from '../../../src/agent/models/script.ts';
import { recordedTools } from '../../../src/agent/testkit/recorded-tools.ts';
import type { AgentPrompt } from '../../../src/protocol/index.ts';
import { carryOut, type TestOptions, testAgent } from '../../support/agent.ts';
import { promptOf } from './read-facts.ts';

const tools = recordedTools({ look: (_, n) => `result ${n} ${'x'.repeat(40)}` });

async function carried(options: TestOptions, run = (parts: ReturnType<typeof testAgent>) => carryOut(parts)) {
  const parts = testAgent(options);
  const { result } = await run(parts);
  const place = { workspace: fs.realpathSync(parts.options.workspaceRoot), run_id: result.run_id };
  return { requests: parts.model.requests, place };
}

/** A message in one text, as the model got it. */
function sentText({ role, content }: PromptMessage): string {
  if (typeof content === 'string') return `${role}: ${content}`;
  const parts = content.map((part) => {
    switch (part.type) {
      case 'tool-call':
        return `[${part.toolName} ${JSON.stringify(part.input)}]`;
      case 'tool-result':
        return (part.output as { value: string }).value;
      default:
        return (part as { text: string }).text;
    }
  });
  return `${role}: ${parts.join('')}`;
}

function shownText({ role, parts }: AgentPrompt['messages'][number]): string {
  return `${role}: ${parts.map(({ kind, name, text }) => (kind === 'tool_call' ? `[${name} ${text}]` : text)).join('')}`;
}

describe('the prompt of a step', () => {
  it('is what the model got, with its sources', async () => {
    const { requests, place } = await carried(
      {
        script: [[think('Hm.'), say('I look.'), call('look', { n: 1 }), call('look', { n: 2 })], say('Done.')],
        tools,
        prompt: { system: 'Be careful.', developer: 'Be brief.' },
      },
      async (parts) => await carryOut(parts, 'Do it', { history: [{ role: 'assistant', text: 'Hello.' }] }),
    );
    for (const [index, { prompt }] of requests.entries()) {
      const shown = await promptOf(place, index + 1);
      expect(shown.messages.map(shownText)).toEqual(prompt.map(sentText));
      expect(shown).toMatchObject({ total_messages: prompt.length, next_message: null });
    }
    const { messages } = await promptOf(place);
    const [system, history, task, answer, results] = messages;
    expect(system!.pieces.map(({ source }) => source)).toEqual(['system', 'separator', 'developer']);
    expect(system!.is_exact).toBe(true);
    const { text } = system!.parts[0]!;
    expect(system!.pieces.map(({ from, to }) => text.slice(from, to))).toEqual([
      'Be careful.',
      '\n\n[Developer policy]\n',
      'Be brief.',
    ]);
    expect([history, task, answer, results].map((one) => one!.pieces[0]!.source)).toEqual([
      'step:0',
      'task',
      'step:1',
      'tools:1',
    ]);
    expect(messages.every(({ pieces }) => pieces.every(({ digest }) => /^[0-9a-f]{64}$/.test(digest!)))).toBe(true);
  });

  it('is what the model got after trims, messages that were sent, and a summary', async () => {
    const overflow = fail({ kind: 'context_overflow' });
    const { requests, place } = await carried(
      {
        script: (_, n) =>
          n === 14 ? overflow : n === 15 ? say('A summary.') : n < 20 ? call('look', { n }) : say('Done.'),
        tools,
        settings: { history_max_messages: 10, no_progress_steps: 100 },
      },
      async (parts) => {
        const run = parts.agent.run('Do it');
        await run.send('Later, also this.', { when: 'after' });
        await run.send('And now this.');
        return await carryOut(parts, run);
      },
    );
    // One request was for the summary, and one failed: its step was tried again with another prompt.
    const steps = requests.filter(({ prompt }, index) => index !== 14 && index !== 15 && prompt.length > 0);
    const reader = new AgentFacts();
    let at = 0;
    for (const { prompt } of steps) {
      at++;
      const shown = await promptOf(place, at, { reader });
      expect(shown.messages.map(shownText), `step ${at}`).toEqual(prompt.map(sentText));
    }
    expect(at).toBeGreaterThan(18);
  });

  it('comes in pages, and long texts are cut', async () => {
    const long = recordedTools({ look: () => 'y'.repeat(60_000) });
    const { place } = await carried({
      script: [call('look', {}), say('Done.')],
      tools: long,
      limits: { maxOutputBytes: 100_000 },
    });
    const reader = new AgentFacts();
    const first = await reader.prompt(place, { step: 2, afterMessage: -1, limit: 2 });
    expect(first).toMatchObject({ total_messages: 4, next_message: 1 });
    const rest = await reader.prompt(place, { step: 2, afterMessage: first.next_message!, limit: 2 });
    expect(rest).toMatchObject({ next_message: null, messages: [{ index: 2 }, { index: 3 }] });
    const { text, chars } = rest.messages[1]!.parts[0]!;
    expect([text.length, chars]).toEqual([20_000, 60_000]);
    await expect(reader.prompt(place, { step: 9, afterMessage: -1, limit: 2 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
