import type { Row } from './row.ts';
import { EVENTS, type Flood, floodSandboxAgent, floodTacho, medianFlood, SLOW_READERS } from './support/event-flood.ts';
import { installSandboxAgent, SANDBOX_AGENT } from './support/sandbox-agent.ts';

export const name = 'memory for readers that stopped reading';
export const goal = '< 50 MB';
export const about =
  `The run of ${EVENTS.toLocaleString('en')} events again, with ${SLOW_READERS} readers that connect and then take nothing while one reads at ` +
  'full speed; when that one is done they all read on at once. Highest resident memory of the server’s process, less what it had before ' +
  'the run. Peer: as above. It stays small by dropping what a reader does not take in time.';

const ROUNDS = 3;
const LIMIT_MEGABYTES = 50;

export async function run(): Promise<Row[]> {
  const installed = installSandboxAgent();
  const floods = { ours: [] as Flood[], peer: [] as Flood[] };
  for (let round = 0; round < ROUNDS; round++) {
    floods.ours.push(await floodTacho('stalled'));
    if (installed.folder !== null) floods.peer.push(await floodSandboxAgent(installed.folder, 'stalled'));
  }
  const ours = medianFlood(floods.ours);
  const peer = installed.folder === null ? null : medianFlood(floods.peer);
  const row = (what: string, value: (flood: Flood) => number): Row => ({
    what: `${EVENTS / 1000} k events, ${SLOW_READERS} stalled readers: ${what}`,
    ours: `${value(ours).toFixed(0)} MB`,
    peer: peer === null ? '–' : `${value(peer).toFixed(0)} MB`,
    peerName: SANDBOX_AGENT,
    ratio: peer === null ? null : value(ours) / value(peer),
    goal,
    met: value(ours) < LIMIT_MEGABYTES,
    note:
      installed.problem ?? `medians of ${ROUNDS}; lost by a stalled reader: ours ${share(ours)}, its ${share(peer!)}`,
  });
  return [
    row('memory grown by the end of the run', ({ grownDuring }) => grownDuring),
    row('memory grown until they have read on', ({ grownAfter }) => grownAfter),
  ];
}

function share({ slowLost }: Flood): string {
  return slowLost === 0 ? '0' : `${(slowLost * 100).toFixed(1)} %`;
}
