import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureServer } from '../src/runtime/index.ts';
import { openTerminals } from '../src/runtime/port/terminals.ts';
import { probeBubblewrap, type SandboxProfile } from '../src/sandbox/index.ts';
import {
  builtinTools,
  createRegistry,
  type RuntimePort,
  type ToolContext,
  WorkspaceFiles,
} from '../src/tools/index.ts';
import type { Row } from './row.ts';
import { quantile, tenths } from './support/figures.ts';
import { inTurn } from './support/in-turn.ts';

export const name = 'exec_command of an agent';
export const goal = 'p50 ≤ 10 ms, as exec over the socket';
export const about =
  'The tool `exec_command` with `echo x`, from the call to its answer: arguments checked, a terminal of the daemon opened, the first byte read, the ' +
  'end of the program and all of its output awaited. Without a sandbox and in the profile balanced. Peer: the first byte of the same command line by ' +
  '`exec.stream` of the same daemon, on pipes, in the same sandbox.';

const ROUNDS = { rounds: 200, warmUp: 20 };
const LIMIT_MS = 10;
const COMMAND = 'echo x';

export async function run(): Promise<Row[]> {
  // Not in the temporary folder, which a sandbox replaces.
  const workspace = fs.realpathSync(fs.mkdtempSync(path.join(os.homedir(), 'tacho-bench-')));
  const server = { command: [process.execPath, process.env.TACHO_TEST_CLI ?? tacho], environment: process.env };
  const runtime = ensureServer({ workspace, ...server });
  await runtime.call('system.ping', {});
  const sandboxed = 'program' in (await probeBubblewrap('off'));
  const throughTool = (profile: SandboxProfile) => execTool(workspace, profile, server);
  const overSocket = (sandbox?: { profile: 'balanced' }) => async (): Promise<number> => {
    const begun = performance.now();
    let first: number | null = null;
    await runtime.call('exec.stream', { argv: ['bash', '-c', COMMAND], ...(sandbox && { sandbox }) }, () => {
      first ??= performance.now() - begun;
    });
    return first!;
  };
  try {
    const taken = await inTurn(
      {
        tool: throughTool('none'),
        socket: overSocket(),
        toolInSandbox: sandboxed ? throughTool('balanced') : null,
        socketInSandbox: sandboxed ? overSocket({ profile: 'balanced' }) : null,
      },
      ROUNDS,
    );
    return [
      row('without a sandbox', taken.tool, taken.socket, `≤ ${LIMIT_MS} ms`),
      ...(sandboxed ? [row('in the profile balanced', taken.toolInSandbox, taken.socketInSandbox, '–')] : []),
    ];
  } finally {
    await runtime.call('runtime.shutdown', {});
    runtime.close();
    // The daemon removes its own files at the same time.
    fs.rmSync(workspace, { recursive: true, force: true, maxRetries: 5 });
  }
}

const tacho = path.join(path.dirname(import.meta.dirname), 'bin', 'tacho');

/** Calls the tool as the loop of an agent does. */
function execTool(workspace: string, profile: SandboxProfile, server: object): () => Promise<number> {
  const terminals = openTerminals({ workspace, runId: `bench-${profile}`, sandbox: { profile }, server });
  const registry = createRegistry(builtinTools({ runtime: true }));
  const context: ToolContext = {
    workspaceRoot: workspace,
    runId: 'bench',
    callId: 'call',
    callKey: '1.call',
    signal: new AbortController().signal,
    env: {},
    files: new WorkspaceFiles(workspace),
    commands: { run: () => Promise.reject(new Error('only terminals are used')) },
    skills: null,
    runtime: terminals as unknown as RuntimePort,
  };
  return async () => {
    const begun = performance.now();
    const place = { workspaceRoot: workspace, digest: () => '' };
    const prepared = await registry.prepare('exec_command', { command: COMMAND }, place);
    if (!prepared.ok) throw new Error(prepared.result.stderr);
    const { stdout, stderr } = await registry.execute(prepared, context);
    if (stdout !== 'x\n') throw new Error(`${stdout}${stderr}`);
    return performance.now() - begun;
  };
}

function row(where: string, ours: readonly number[], peer: readonly number[], wanted: string): Row {
  const [own, other] = [quantile(ours, 0.5), quantile(peer, 0.5)];
  return {
    what: `exec_command of \`${COMMAND}\` ${where}, p50 of ${ROUNDS.rounds}`,
    ours: tenths(own),
    peer: tenths(other),
    peerName: 'exec.stream, first byte',
    ratio: own / other,
    goal: wanted,
    met: wanted === '–' ? null : own <= LIMIT_MS,
    note: `p95: ours ${tenths(quantile(ours, 0.95))}, exec.stream ${tenths(quantile(peer, 0.95))}`,
  };
}
