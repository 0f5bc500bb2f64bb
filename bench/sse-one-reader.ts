import type { Row } from './row.ts';
import { EVENTS, type Flood, floodSandboxAgent, floodTacho, medianFlood, SLOW_READERS } from './support/event-flood.ts';
import { installSandboxAgent, SANDBOX_AGENT } from './support/sandbox-agent.ts';

export const name = 'events through one SSE reader';
export const goal = '≥ 30 k/s, 0 lost';
export const about =
  `An agent says ${EVENTS.toLocaleString('en')} short messages as fast as it can. One reader takes the event stream at full speed, ` +
  `${SLOW_READERS} slow ones beside it take 64 KiB every 100 ms until it is done, and then the rest. Rate: of the fast reader, from its ` +
  'first byte to its last. Lost: events that a reader was never sent. Ours are also recorded, parsed, chained and on disk before they ' +
  'are sent. Peer: the server of `@sandbox-agent/cli`. Its `mock` agent comes without a program (0.4.2 answers 502, “failed to start ' +
  'agent process”), so, as in that project’s own tests, a program is put in its place: the same agent, speaking its protocol. Its frames ' +
  'are about a third as long as ours, and nothing is kept on disk.';

const ROUNDS = 3;
const MIN_PER_SECOND = 30_000;

export async function run(): Promise<Row[]> {
  const installed = installSandboxAgent();
  const floods = { ours: [] as Flood[], peer: [] as Flood[] };
  for (let round = 0; round < ROUNDS; round++) {
    floods.ours.push(await floodTacho('slow'));
    if (installed.folder !== null) floods.peer.push(await floodSandboxAgent(installed.folder, 'slow'));
  }
  const ours = medianFlood(floods.ours);
  const peer = installed.folder === null ? null : medianFlood(floods.peer);
  const worst = (lost: (flood: Flood) => number) => Math.max(...floods.ours.map(lost));
  const row = (what: string, text: (flood: Flood) => string): Row => ({
    what: `${EVENTS / 1000} k events at full speed, ${SLOW_READERS} slow readers: ${what}`,
    ours: text(ours),
    peer: peer === null ? '–' : text(peer),
    peerName: SANDBOX_AGENT,
    ratio: null,
    goal: '–',
    met: null,
    ...(installed.problem === null ? {} : { note: installed.problem }),
  });
  return [
    {
      ...row('rate of the fast one', ({ eventsPerSecond }) => `${(eventsPerSecond / 1000).toFixed(0)} k/s`),
      ratio: peer === null ? null : ours.eventsPerSecond / peer.eventsPerSecond,
      goal: '≥ 30 k/s',
      met: ours.eventsPerSecond >= MIN_PER_SECOND,
      note: installed.problem ?? `medians of ${ROUNDS}`,
    },
    {
      ...row('lost by the fast one', ({ fastLost }) => percent(fastLost)),
      goal: '0',
      met: worst(({ fastLost, disorder }) => fastLost + disorder) === 0,
    },
    {
      ...row('lost by a slow one', ({ slowLost }) => percent(slowLost)),
      goal: '0',
      met: worst(({ slowLost, disorder }) => slowLost + disorder) === 0,
    },
  ];
}

function percent(share: number): string {
  return share === 0 ? '0' : `${(share * 100).toFixed(1)} %`;
}
