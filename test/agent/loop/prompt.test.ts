import { expect, it } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import { recordedTools } from '../../../src/agent/testkit/recorded-tools.ts';
import { DEFAULTS } from '../../../src/config/index.ts';
import { MemorySkillSource, SkillLibrary } from '../../../src/skills/index.ts';
import { carryOut, dataOf, testAgent } from '../../support/agent.ts';

const { spaces: _, sources: __, ...settings } = DEFAULTS.skills;

function library(): SkillLibrary {
  const source = new MemorySkillSource('memory', [
    { namespace: 'team', name: 'review', description: 'Reviews.', body: 'Read every line.' },
    { namespace: 'team', name: 'other', description: 'Other things.', body: 'Not asked for.' },
  ]);
  return new SkillLibrary({ spaces: [{ namespace: 'team', enabled: true, sources: [source] }], settings });
}

it('puts system, developer policy, skills, history and task into the prompt in a fixed order', async () => {
  const { model, ...rest } = testAgent({
    script: [say('Done.')],
    skills: library(),
    prompt: { system: 'SYSTEM in {workspace}', developer: 'DEVELOPER' },
  });
  const { events } = await carryOut(rest, 'Use $[team].review now', {
    history: [
      { role: 'user', text: 'Hello' },
      { role: 'assistant', text: 'Hi' },
    ],
  });
  const { prompt } = model.requests[0]!;
  expect(prompt.map(({ role }) => role)).toEqual(['system', 'user', 'user', 'user', 'assistant', 'user']);
  const texts = prompt.map(({ content }) =>
    typeof content === 'string' ? content : (content[0] as { text: string }).text,
  );
  expect(texts[0]).toBe(`SYSTEM in ${rest.options.workspaceRoot}\n\n[Developer policy]\nDEVELOPER`);
  expect(texts[1]).toContain('other');
  expect(texts[2]).toContain('Read every line.');
  expect(texts.slice(3)).toEqual(['Hello', 'Hi', 'Use $[team].review now']);
  expect(texts.join()).not.toContain('Not asked for.');
  const [compiled] = dataOf(events, 'prompt_compiled');
  expect(compiled!.sources.map(({ source, message }) => [message, source])).toEqual([
    [0, 'system'],
    [0, 'separator'],
    [0, 'developer'],
    [1, 'skills:list'],
    [2, 'skill:$[team].review'],
    [3, 'history'],
    [4, 'step:0'],
    [5, 'task'],
  ]);
  const developer = compiled!.sources[2]!;
  expect(compiled!.system![0]!.slice(developer.from, developer.to)).toBe('DEVELOPER');
});

it('leaves skills out if they are switched off', async () => {
  const { model, ...rest } = testAgent({ script: [say('Done.')], skills: library(), prompt: { skills: 'off' } });
  await carryOut(rest, 'Use $[team].review now');
  expect(model.requests[0]!.prompt.map(({ role }) => role)).toEqual(['system', 'user']);
});

it('uses a template by name, and rejects an unknown one', async () => {
  const { model, ...rest } = testAgent({ script: [say('Done.')], prompt: { template: 'plain' } });
  await carryOut(rest);
  expect(model.requests[0]!.prompt[0]!.content).toContain('helpful assistant');
  const other = testAgent({ script: [say('Done.')], prompt: { template: 'plane' } });
  await expect(other.agent.run('x').result).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('plane'),
  });
});

it('keeps the beginning of the prompt byte for byte over 100 steps', async () => {
  const steps = 100;
  const script = [...Array.from({ length: steps }, (_, n) => [say(`Step ${n}`), call('look', { n })]), say('Done.')];
  const { model, ...rest } = testAgent({ script, tools: recordedTools({ look: (input) => JSON.stringify(input) }) });
  const { events } = await carryOut(rest);
  expect(model.requests).toHaveLength(steps + 1);
  expect(dataOf(events, 'history_trimmed')).toEqual([]);
  for (let n = 1; n <= steps; n++) {
    const before = JSON.stringify(model.requests[n - 1]!.prompt).slice(0, -1);
    expect(JSON.stringify(model.requests[n]!.prompt).startsWith(before)).toBe(true);
  }
});

it.each([
  ['messages', { history_max_messages: 12, history_max_chars: 1e9 }],
  ['chars', { history_max_messages: 1e9, history_max_chars: 900 }],
] as const)('trims the conversation by %s in blocks, keeping the task and whole exchanges', async (limit, limits) => {
  const script = [...Array.from({ length: 40 }, (_, n) => call('look', { n, filler: 'x'.repeat(40) })), say('Done.')];
  const { model, ...rest } = testAgent({
    script,
    tools: recordedTools({ look: 'y'.repeat(40) }, {}),
    settings: { ...limits, no_progress_steps: 1000 },
  });
  const { events } = await carryOut(rest, 'The task');
  const trims = dataOf(events, 'history_trimmed');
  expect(trims.length).toBeGreaterThan(2);
  expect(trims.every((trim) => trim.limit === limit)).toBe(true);
  let changes = 0;
  for (const [n, { prompt }] of model.requests.entries()) {
    const open = new Set<string>();
    for (const { role, content } of prompt) {
      for (const part of content as { type: string; toolCallId: string }[]) {
        if (role === 'assistant' && part.type === 'tool-call') open.add(part.toolCallId);
        if (role === 'tool') expect(open.delete(part.toolCallId)).toBe(true);
      }
    }
    expect(open.size).toBe(0);
    expect(JSON.stringify(prompt[1])).toContain('The task');
    const before = n === 0 ? '[' : JSON.stringify(model.requests[n - 1]!.prompt).slice(0, -1);
    if (!JSON.stringify(prompt).startsWith(before)) changes++;
  }
  expect(changes).toBe(trims.length);
});
