import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import readline from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import { createPolicy } from '../../../src/approvals/policy/create-policy.ts';
import type { PolicyRule } from '../../../src/protocol/index.ts';
import { mcpServer } from '../../../src/tools/mcp/index.ts';
import type { ToolSource } from '../../../src/tools/tool-source.ts';
import { carryOut, dataOf, type TestOptions, testAgent } from '../../support/agent.ts';
import { temporaryFolder } from '../../support/tacho.ts';
import { EVERYTHING } from './servers.ts';

const TOKEN = 'sesame-4711-open';

/** The server of the MCP project, over each transport. */
const TRANSPORTS: [string, () => Promise<ToolSource>][] = [
  ['stdio', async () => mcpServer({ name: 'all', command: [process.execPath, EVERYTHING], env: { COLOUR: 'green' } })],
  ['streamable HTTP', async () => mcpServer({ name: 'all', url: await everythingOverHttp(), token: TOKEN })],
];

const RULES: PolicyRule[] = [
  { decision: 'allow', tool: 'mcp__all__get-*' },
  { decision: 'deny', tool: 'mcp__all__get-env' },
  { decision: 'allow', tool: 'mcp__all__trigger-long-*' },
];

describe.each(TRANSPORTS)('the everything server over %s', (_, open) => {
  async function agent(script: TestOptions['script'], options: Partial<TestOptions> = {}) {
    const workspaceRoot = temporaryFolder();
    const policy = await createPolicy({ workspaceRoot, rules: RULES });
    return testAgent({ workspaceRoot, policy, toolSources: [await open()], script, ...options });
  }

  it('is used under the policy: allowed by a rule, asked about, denied', async () => {
    const asked: string[] = [];
    const made = await agent(
      [
        call('mcp__all__get-sum', { a: 2, b: 3 }),
        call('mcp__all__echo', { message: 'hi' }),
        call('mcp__all__get-env', {}),
        say('Done.'),
      ],
      {
        approvals: {
          decide: async ({ summary, suggested_rule }) => {
            asked.push(summary);
            return { decision: 'approved_with_rule', reason: null, rule: suggested_rule, by: 'test' };
          },
        },
      },
    );
    const { events, result } = await carryOut(made);
    expect(result.status).toBe('completed');
    expect(dataOf(events, 'tool_call_requested').map(({ verdict }) => verdict!.decision)).toEqual([
      'allow',
      'ask',
      'deny',
    ]);
    expect(asked).toEqual(['mcp__all__echo {"message":"hi"}']);
    expect(dataOf(events, 'approval_decided')[0]!.rule).toEqual({ decision: 'allow', tool: 'mcp__all__echo' });
    expect(dataOf(events, 'tool_call_finished').map(({ result: one }) => one)).toMatchObject([
      { ok: true, stdout: 'The sum of 2 and 3 is 5.' },
      { ok: true, stdout: 'Echo: hi' },
      { ok: false, error_kind: 'denied' },
    ]);
    expect(JSON.stringify(events)).not.toContain(TOKEN);
  });

  it('gives structured content as data, and describes images and resources', async () => {
    const made = await agent([
      call('mcp__all__get-structured-content', { location: 'Chicago' }),
      call('mcp__all__get-tiny-image', {}),
      call('mcp__all__get-resource-reference', { resourceType: 'Text', resourceId: 1 }),
      call('mcp__all__get-resource-links', { count: 1 }),
      say('Done.'),
    ]);
    const { events } = await carryOut(made);
    const results = dataOf(events, 'tool_call_finished').map(({ result }) => result);
    expect(results).toMatchObject([
      { ok: true, data: { temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 } },
      { ok: true, stdout: expect.stringContaining('[image, image/png, 4033 bytes]') },
      {
        ok: true,
        stdout: expect.stringMatching(/\[resource, text\/plain, demo:\/\/resource\/dynamic\/text\/1, \d+ bytes\]/),
      },
      { ok: true, stdout: expect.stringMatching(/\[link to a resource, .*demo:\/\//) },
    ]);
  });

  it('reports an error of a tool, and arguments that do not fit', async () => {
    const made = await agent([
      call('mcp__all__get-resource-reference', { resourceType: 'Text', resourceId: -1 }),
      call('mcp__all__get-sum', { a: 'x' }),
      say('Done.'),
    ]);
    const { events } = await carryOut(made);
    expect(dataOf(events, 'tool_call_finished').map(({ result }) => result)).toMatchObject([
      { ok: false, error_kind: 'failed', stderr: expect.stringContaining('Invalid resourceId: -1') },
      { ok: false, error_kind: 'invalid_arguments' },
    ]);
  });

  it('stops a long operation when the run is cancelled', async () => {
    const { agent: made } = await agent([
      call('mcp__all__trigger-long-running-operation', { duration: 3600, steps: 3600 }),
      say('Done.'),
    ]);
    const begun = made.run('Do it');
    for await (const { type } of begun) if (type === 'tool_call_started') break;
    await begun.cancel();
    expect(await begun.result).toMatchObject({ status: 'cancelled' });
  });
});

it('a server that is started gets PATH, HOME and its own variables, and no others', async () => {
  const source = mcpServer({ name: 'all', command: [process.execPath, EVERYTHING], env: { COLOUR: 'green' } });
  const made = testAgent({
    toolSources: [source],
    env: { SHAPE: 'round' },
    script: [call('mcp__all__get-env', {}), say('Done.')],
  });
  const { events } = await carryOut(made);
  const { stdout } = dataOf(events, 'tool_call_finished')[0]!.result;
  expect(Object.keys(JSON.parse(stdout)).sort()).toEqual([
    'COLOUR',
    'HOME',
    'PATH',
    'SHAPE',
    'TACHO_MARKER',
    'TACHO_MCP_SOURCE',
  ]);
});

/** Starts it on a free port and returns its address. */
async function everythingOverHttp(): Promise<string> {
  for (;;) {
    const port = await freePort();
    const env = { PATH: process.env.PATH, PORT: String(port) };
    const server = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    if (await isListening(server)) {
      onTestFinished(async () => {
        server.kill('SIGKILL');
        await once(server, 'exit');
      });
      return `http://127.0.0.1:${port}/mcp`;
    }
  }
}

/** False if another program has taken the port meanwhile. */
async function isListening({ stderr }: ChildProcess): Promise<boolean> {
  for await (const line of readline.createInterface({ input: stderr! }))
    if (line.includes('listening on port')) return true;
  return false;
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
