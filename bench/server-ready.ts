import { spawn } from 'node:child_process';
import type { Row } from './row.ts';
import { median, milliseconds } from './support/figures.ts';
import { installSandboxAgent, SANDBOX_AGENT, startSandboxAgent } from './support/sandbox-agent.ts';
import { end, firstLine, startTacho } from './support/tacho-server.ts';

export const name = 'server ready';
export const goal = '≤ 500 ms';
export const about =
  'From the start of `tacho start`, set-up done, in an empty data folder, to its ready line: it listens, its index is open and its ' +
  'token is made. The least there is: a Node program that does nothing but listen with `node:http`. Peer: `@sandbox-agent/cli`, its ' +
  'native program without the npm command in front of it, until it answers a request for its health, as it prints nothing.';

const ROUNDS = 10;
const LIMIT_MS = 500;
const BARE_SERVER =
  "const server = require('node:http').createServer((_, response) => response.end());" +
  "server.listen(0, '127.0.0.1', () => process.stdout.write('ready\\n'));";

export async function run(): Promise<Row[]> {
  const peer = installSandboxAgent();
  const taken = { tacho: [] as number[], bare: [] as number[], sandboxAgent: [] as number[] };
  // The first round warms the caches.
  for (let round = 0; round <= ROUNDS; round++) {
    const tacho = await startTacho();
    await tacho.stop();
    const bare = await startBare();
    const sandboxAgent = peer.folder === null ? null : await startSandboxAgent(peer.folder);
    await sandboxAgent?.stop();
    if (round === 0) continue;
    taken.tacho.push(tacho.readyMs);
    taken.bare.push(bare);
    if (sandboxAgent) taken.sandboxAgent.push(sandboxAgent.readyMs);
  }
  const ours = median(taken.tacho);
  const row = { what: 'server ready', ours: milliseconds(ours), goal: '–', met: null };
  const bare = median(taken.bare);
  const other = peer.folder === null ? null : median(taken.sandboxAgent);
  return [
    {
      ...row,
      peer: milliseconds(bare),
      peerName: 'bare node:http',
      ratio: ours / bare,
      goal,
      met: ours <= LIMIT_MS,
      note: `medians of ${ROUNDS}`,
    },
    {
      ...row,
      peer: other === null ? '–' : milliseconds(other),
      peerName: SANDBOX_AGENT,
      ratio: other === null ? null : ours / other,
      ...(peer.problem === null ? {} : { note: peer.problem }),
    },
  ];
}

async function startBare(): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, ['-e', BARE_SERVER], { stdio: ['ignore', 'pipe', 2] });
  await firstLine(child);
  const readyMs = performance.now() - begun;
  await end(child);
  return readyMs;
}
