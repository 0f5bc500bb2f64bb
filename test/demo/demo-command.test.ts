import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { SCENARIOS } from '../../src/demo/index.ts';
import { tachoCommand } from '../support/tacho.ts';
import { ask, chat } from './clients.ts';

const children: ChildProcessWithoutNullStreams[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

test('prints its address, serves, and stops cleanly on a signal', async () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const command = start(['--scenario', 'done']);
    const printed = await command.printed(/Ctrl-C stops it/);
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)!;
    expect(printed).toContain(`tacho run codex --base-url ${url}/sc/tool -- "do the task"`);
    for (const { name, meaning } of SCENARIOS) expect(printed).toMatch(new RegExp(`${name} +${meaning}`));
    const reply = await ask(chat, url, { messages: [{ role: 'user', text: 'go' }] });
    expect(reply.text).toContain('__SKILL_DONE__');
    command.child.kill(signal);
    expect(await command.exit).toEqual([0, null]);
  }
});

test('a hanging request does not prevent the stop', async () => {
  const command = start(['--serve', '--json']);
  const { url, scenario } = JSON.parse(await command.printed(/\n/)) as { url: string; scenario: string };
  expect(scenario).toBe('tool');
  const body = JSON.stringify(chat.body({ messages: [{ role: 'user', text: 'go' }] }));
  const hanging = fetch(`${url}/sc/hang/v1/chat/completions`, { method: 'POST', body });
  const refused = expect(hanging).rejects.toThrow('fetch failed');
  await untilRecorded(url);
  command.child.kill('SIGTERM');
  expect(await command.exit).toEqual([0, null]);
  await refused;
});

test('lists the scenarios without serving', async () => {
  const list = start(['--list']);
  expect(await list.exit).toEqual([0, null]);
  expect(await list.printed(/malformed/)).toMatch(/^ {2}text +A plain reply/);
  const asJson = start(['--list', '--json']);
  expect(await asJson.exit).toEqual([0, null]);
  expect(JSON.parse(await asJson.printed(/\n/))).toEqual({ scenarios: SCENARIOS });
});

test('invalid options are refused with a code', async () => {
  const refusal = async (args: string[]) => {
    const command = start([...args, '--json']);
    const [code] = await command.exit;
    return [code, (JSON.parse(await command.printed(/\n/)) as { error: { code: string } }).error.code];
  };
  expect(await refusal(['--port', 'x'])).toEqual([2, 'USAGE']);
  expect(await refusal(['--port', '65536'])).toEqual([2, 'USAGE']);
  expect(await refusal(['--scenario', 'nonsense'])).toEqual([2, 'USAGE']);
  expect(await refusal(['--host', '192.0.2.1'])).toEqual([1, 'PORT_UNAVAILABLE']);
});

function start(args: string[]) {
  const child = spawn(process.execPath, [tachoCommand, 'demo', ...args]);
  children.push(child);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const exit = once(child, 'close') as Promise<[number | null, string | null]>;
  const printed = async (pattern: RegExp): Promise<string> => {
    while (!pattern.test(output)) {
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${output}${complaint}`);
      await once(child.stdout, 'data');
    }
    return output;
  };
  return { child, exit, printed };
}

async function untilRecorded(url: string): Promise<void> {
  for (;;) {
    const { requests } = (await (await fetch(`${url}/__requests`)).json()) as { requests: unknown[] };
    if (requests.length > 0) return;
  }
}
