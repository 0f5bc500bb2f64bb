import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect } from 'vitest';
import { readProcessStat } from '../../../src/files/index.ts';
import { type McpServerOptions, mcpServer } from '../../../src/tools/mcp/index.ts';
import { carryOut, dataOf, type TestOptions, testAgent } from '../../support/agent.ts';
import { temporaryFolder } from '../../support/tacho.ts';

const PROGRAM = path.join(import.meta.dirname, 'programs/server.mjs');
const require = createRequire(import.meta.url);
/** The test server of the MCP project. */
export const EVERYTHING = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');

export interface ListedTool {
  name: unknown;
  description?: unknown;
  inputSchema?: unknown;
}

const ANY = { type: 'object', properties: {}, additionalProperties: true };

export function toolNamed(name: string, more: Partial<ListedTool> = {}): ListedTool {
  return { name, description: `Does ${name}.`, inputSchema: ANY, ...more };
}

/** A server of programs/server.mjs with files of its own. */
export function smallServer(
  tools: readonly ListedTool[],
  options: {
    hang?: string;
    diesOnStart?: boolean;
    flood?: string;
    stubborn?: boolean;
    announces?: boolean;
  } & Partial<McpServerOptions> = {},
) {
  const { hang, diesOnStart, flood, stubborn, announces, ...more } = options;
  const folder = temporaryFolder();
  const file = (name: string) => path.join(folder, name);
  const lines = (name: string) => {
    if (!fs.existsSync(file(name))) return [];
    return fs.readFileSync(file(name), 'utf8').trimEnd().split('\n');
  };
  const become = (next: readonly ListedTool[]) => fs.writeFileSync(file('tools.json'), JSON.stringify(next));
  become(tools);
  const its = { tools: file('tools.json'), starts: file('starts'), calls: file('calls') };
  const behaviour = JSON.stringify({ ...its, hang, diesOnStart, flood, stubborn, announces });
  const command = [process.execPath, PROGRAM, behaviour];
  return {
    source: mcpServer({ name: 'small', command, timeoutMs: 60_000, ...more }),
    command,
    /** Its tools from now on. */
    become,
    calls: () => lines('calls'),
    /** Every process that it has started. */
    pids: () => lines('starts').map(Number),
    file,
  };
}

export function expectNoneLeft(pids: readonly number[]): void {
  expect(pids.length).toBeGreaterThan(0);
  expect(pids.filter((pid) => readProcessStat(pid)?.zombie === false)).toEqual([]);
}

/** Carries a run out, and replays it. */
export async function runWith(toolSources: TestOptions['toolSources'], script: TestOptions['script']) {
  const { events, result } = await carryOut(testAgent({ toolSources, script }));
  return {
    result,
    sources: dataOf(events, 'run_started')[0]!.sources!,
    results: dataOf(events, 'tool_call_finished').map(({ result: one }) => one),
    told: dataOf(events, 'user_message').filter(({ origin }) => origin === 'send'),
  };
}
