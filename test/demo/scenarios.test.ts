import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ModelServer, SCENARIOS, startModelServer } from '../../src/demo/index.ts';
import { ask, CLIENTS, type Message, SHELL, WRITER } from './clients.ts';

const MARKER = '```json\n{"__SKILL_DONE__": true, "result": "ok"}\n```';
const QUESTION = 'Which colour do you want, red or blue? I need your answer to go on.';
const PROMPT: Message = { role: 'user', text: 'do the task' };

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const forms = CLIENTS.flatMap((client) => [false, true].map((stream) => ({ name: client.name, client, stream })));

describe.each(forms)('$name, streamed: $stream', ({ client, stream }) => {
  const play = (scenario: string, messages: Message[], tools = [SHELL, WRITER]) =>
    ask(client, `${server.url}/sc/${scenario}`, { messages, tools, stream });

  test('text is a plain reply with reasoning, and the default scenario', async () => {
    const reply = await play('text', [PROMPT]);
    expect(reply).toMatchObject({
      text: 'This is the demo model. It follows a script and answers with this one paragraph.',
      reasoning: 'The script of this scenario says what comes next.',
      call: null,
    });
    expect(await ask(client, server.url, { messages: [PROMPT], stream })).toEqual(reply);
  });

  test('done ends with the marker in a json fence, lower with the marker in lower case', async () => {
    expect((await play('done', [PROMPT])).text).toBe(`The task is complete.\n\n${MARKER}`);
    expect((await play('lower', [PROMPT])).text).toContain('{"__skill_done__": true, "result": "ok"}');
  });

  test('tool calls the shell tool once and is done after its result', async () => {
    const first = await play('tool', [PROMPT]);
    expect(first.text).toBe('I run one command first.');
    expect(first.call).toEqual({ name: 'bash', arguments: { command: expect.stringContaining('artifacts/demo.txt') } });
    const conversation: Message[] = [PROMPT, { role: 'call', ...first.call! }, { role: 'result', text: 'fine' }];
    expect(await play('tool', conversation)).toMatchObject({ text: `The task is complete.\n\n${MARKER}`, call: null });
    const goesOn: Message[] = [...conversation, { role: 'assistant', text: 'done' }, { role: 'user', text: 'again' }];
    expect((await play('tool', goesOn)).call?.name).toBe('bash');
  });

  test('cached calls the shell tool once and then replies without the marker', async () => {
    const first = await play('cached', [PROMPT]);
    expect(first.call?.name).toBe('bash');
    const after: Message[] = [PROMPT, { role: 'call', ...first.call! }, { role: 'result', text: 'fine' }];
    expect(await play('cached', after)).toMatchObject({ text: expect.not.stringContaining(MARKER), call: null });
  });

  test('write calls the tool that writes files', async () => {
    const first = await play('write', [PROMPT]);
    const call = {
      name: 'write_file',
      arguments: { file_path: './artifacts/demo.txt', content: 'written by the demo model\n' },
    };
    expect(first.call).toEqual(call);
    const after: Message[] = [PROMPT, { role: 'call', ...call }, { role: 'result', text: 'written' }];
    expect((await play('write', after)).text).toContain(MARKER);
  });

  test('ask asks until it gets an answer, and repeats the answer', async () => {
    expect((await play('ask', [PROMPT])).text).toBe(QUESTION);
    const answered: Message[] = [
      PROMPT,
      { role: 'assistant', text: QUESTION },
      { role: 'user', text: '<environment_context>\n<cwd>/x</cwd>\n</environment_context>' },
      { role: 'user', text: 'blue “ü” 🚗\nplease' },
    ];
    expect((await play('ask', answered)).text).toBe(
      `Your answer was: blue “ü” 🚗\nplease\n\nThe task is complete.\n\n${MARKER}`,
    );
  });

  test('many calls ten tools in a row and is then done', async () => {
    const messages: Message[] = [PROMPT];
    const commands: unknown[] = [];
    let reply = await play('many', messages);
    for (; reply.call && commands.length < 20; reply = await play('many', messages)) {
      commands.push(reply.call.arguments.command);
      messages.push({ role: 'call', ...reply.call }, { role: 'result', text: 'ok' });
    }
    expect(commands).toEqual(Array.from({ length: 10 }, (_, index) => `echo step ${index + 1} of 10`));
    expect(reply.text).toContain(MARKER);
  });

  test('marker-in-tool prints the marker only with a command', async () => {
    const first = await play('marker-in-tool', [PROMPT]);
    expect(first.call?.arguments.command).toContain('"__SKILL_DONE__": true');
    expect(first.text).not.toContain('__SKILL_DONE__');
    const after: Message[] = [PROMPT, { role: 'call', ...first.call! }, { role: 'result', text: 'printed' }];
    expect((await play('marker-in-tool', after)).text).not.toContain('__SKILL_DONE__');
  });

  test('long is a reply of 200 kB, the same every time', async () => {
    const { text } = await play('long', [PROMPT]);
    expect(text.length).toBeGreaterThan(199_000);
    expect(text.length).toBeLessThan(210_000);
    expect((await play('long', [PROMPT])).text).toBe(text);
  });

  test('empty has no text and still ends normally', async () => {
    const reply = await play('empty', [PROMPT]);
    expect(reply).toMatchObject({ text: '', reasoning: '', call: null });
    expect(reply.finish).toBeTruthy();
  });

  test('without a tool for commands, the reply names the declared tools', async () => {
    expect((await play('tool', [PROMPT], [WRITER])).text).toBe(
      'No tool that runs a command is declared. Declared: write_file.',
    );
  });

  test('a file is written with a command if there is no tool for it', async () => {
    expect((await play('write', [PROMPT], [SHELL])).call?.arguments.command).toContain('artifacts/demo.txt');
  });
});

test('every scenario has a description of one sentence', () => {
  expect(SCENARIOS.map(({ name }) => name)).toEqual(expect.arrayContaining(['text', 'tool', 'ask', 'hang', 'cut']));
  for (const { meaning } of SCENARIOS) expect(meaning).toMatch(/^[A-Z][^.]*\.$/);
});
