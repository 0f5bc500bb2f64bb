import type { Row } from '../row.ts';
import { median, milliseconds, times } from './figures.ts';
import { barePty, type Recorder, type Taken, tachoRun } from './recorders.ts';

export interface Comparison {
  what: string;
  argv: readonly string[];
  /** Bytes that the command prints; null if unknown in advance. */
  bytes: number | null;
  /** Maximum cost of recording, as a multiple of the bare PTY's time, that meets the goal. */
  limit: number;
  rounds: number;
  /** The number of rounds for each peer; slow ones take part in fewer. */
  peers: readonly { recorder: Recorder; rounds: number }[];
}

export interface Measured {
  ours: { spanMs: number; wallMs: number };
  bare: { spanMs: number; wallMs: number };
}

/** Records one command with tacho, on a bare PTY and with the peers, in turns so that all run under the same load. */
export function compareRecorders(comparison: Comparison): { rows: Row[]; measured: Measured } {
  const { argv, rounds, peers, bytes } = comparison;
  const [ours, bare] = [tachoRun(), barePty()];
  bare.record!(argv); // Warms the caches.
  const taken = new Map<Recorder, Taken[]>();
  for (let round = 0; round < rounds; round++) {
    for (const recorder of [ours, bare]) keep(recorder);
    for (const peer of peers) if (round < peer.rounds && peer.recorder.record) keep(peer.recorder);
  }
  const medians = (recorder: Recorder) => ({
    spanMs: median(taken.get(recorder)!.map(({ spanMs }) => spanMs ?? Number.NaN)),
    wallMs: median(taken.get(recorder)!.map(({ wallMs }) => wallMs)),
  });
  const measured = { ours: medians(ours), bare: medians(bare) };
  const rows = [
    ...ownRows(comparison, measured),
    ...peers.map(({ recorder }) =>
      recorder.record
        ? peerRow(comparison, measured, recorder, medians(recorder).wallMs)
        : absentRow(comparison, recorder),
    ),
  ];
  return { rows, measured };

  function keep(recorder: Recorder): void {
    const result = recorder.record!(argv);
    if (recorder === ours && bytes !== null && result.bytes !== bytes) {
      throw new Error(`${result.bytes} of ${bytes} bytes were recorded`);
    }
    taken.set(recorder, [...(taken.get(recorder) ?? []), result]);
  }
}

function ownRows({ what, limit, rounds }: Comparison, { ours, bare }: Measured): Row[] {
  const ratio = ours.spanMs / bare.spanMs;
  return [
    {
      what: `${what}: from start to last byte`,
      ours: milliseconds(ours.spanMs),
      peer: milliseconds(bare.spanMs),
      peerName: 'bare PTY',
      ratio,
      goal: `≤ ${limit}×`,
      met: ratio <= limit,
      note: `medians of ${rounds}`,
    },
    {
      what: `${what}: whole command`,
      ours: milliseconds(ours.wallMs),
      peer: milliseconds(bare.wallMs),
      peerName: 'bare PTY',
      ratio: ours.wallMs / bare.wallMs,
      goal: '–',
      met: null,
      note: 'with start-up, snapshots, seal and all files on disk',
    },
  ];
}

function peerRow({ what }: Comparison, { ours, bare }: Measured, recorder: Recorder, wallMs: number): Row {
  return {
    what: `${what}: whole command`,
    ours: milliseconds(ours.wallMs),
    peer: milliseconds(wallMs),
    peerName: recorder.name,
    ratio: ours.wallMs / wallMs,
    goal: '–',
    met: null,
    note: `${recorder.name} takes ${times(wallMs / bare.spanMs)} the bare PTY's time, tacho ${times(ours.wallMs / bare.spanMs)}`,
  };
}

function absentRow({ what }: Comparison, recorder: Recorder): Row {
  const peer = 'not installable here';
  return {
    what: `${what}: whole command`,
    ours: '–',
    peer,
    peerName: recorder.name,
    ratio: null,
    goal: '–',
    met: null,
  };
}
