import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runFolderAt, verifyRun } from '../../../src/recording/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { finished, processesWith } from '../../support/tacho.ts';
import { isRunning, until } from '../../terminal/run-terminal.ts';
import { Daemon, driveCommand, makePlace, type Place, startCommand, tacho } from './drive.ts';

/** Number of parallel recorders: starting one is the slowest part here. */
const PARALLEL = 5;

test('a recorder killed at any moment leaves a run that can be recovered completely', {
  timeout: 3_600_000,
}, async () => {
  const place = makePlace();
  const mark = `killed-anywhere-${process.pid}`;
  const began = performance.now();
  await driveCommand(place, program(mark));
  const wholeMs = performance.now() - began;
  const kills = proofSize({ small: 20, full: 200 });
  for (let done = 0; done < kills; done += PARALLEL) {
    const moments = Array.from({ length: PARALLEL }, () => Math.random() * wholeMs * 1.2);
    const readers = new EventReaders(place);
    await Promise.all(
      moments.map(async (moment) => {
        const recorder = startCommand(place, program(mark));
        const end = finished(recorder);
        await new Promise((resolve) => setTimeout(resolve, moment));
        readers.read();
        recorder.kill('SIGKILL');
        await end;
      }),
    );
    await expectRecovered(place, readers, mark, `killed after ${moments.map(Math.round).join(', ')} ms`);
  }
});

test('a daemon killed at any moment leaves sessions that can be recovered completely', {
  timeout: 3_600_000,
}, async () => {
  const mark = `killed-daemon-${process.pid}`;
  for (let done = 0; done < proofSize({ small: 2, full: 200 }); done++) {
    const place = makePlace();
    const daemon = new Daemon(place);
    await daemon.warmUp();
    const { pid } = daemon;
    const moment = Math.random() * 300;
    const readers = new EventReaders(place);
    const { client } = daemon;
    for (const kind of ['pty', 'exec'] as const) {
      client.call('session.create', { kind, argv: program(mark), record: true }).catch(() => {});
    }
    client
      .call('session.create', { kind: 'shell', record: true })
      .then(({ session_id }) => client.call('exec.run', { session_id, command: program(mark)[2]! }))
      .catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, moment));
    readers.read();
    process.kill(pid, 'SIGKILL');
    // Immediately: a later call of this client would start the next daemon.
    client.close();
    await until(() => !isRunning(pid) && threadsOf(pid) <= 1, 'the daemon is gone');
    await expectRecovered(place, readers, mark, `killed after ${Math.round(moment)} ms`);
  }
});

test('recovery finds a program by its marker if the recorder had not noted its pid', async () => {
  const place = makePlace();
  const mark = `killed-unnoted-${process.pid}`;
  const recorder = startCommand(place, [
    'sh',
    '-c',
    `: ${mark}; trap "" HUP TERM; : > trapped; while :; do sleep 1; done`,
  ]);
  const end = finished(recorder);
  const runs = path.join(place.home, 'runs');
  const inRun = (name: string) => path.join(runs, fs.readdirSync(runs)[0]!, name);
  const record = () => inRun('.run.json');
  // Until it ignores HUP, the program ends with its terminal.
  await expect.poll(() => fs.existsSync(path.join(place.workspace, 'trapped')), { interval: 10 }).toBe(true);
  await expect.poll(() => JSON.parse(fs.readFileSync(record(), 'utf8')).live.child, { interval: 10 }).toBeTruthy();
  recorder.kill('SIGKILL');
  await end;
  expect(processesWith(mark)).not.toEqual([]);
  const written = JSON.parse(fs.readFileSync(record(), 'utf8'));
  fs.writeFileSync(record(), JSON.stringify({ ...written, live: { ...written.live, child: null } }));
  await expectRecovered(place, new EventReaders(place), mark, 'killed before it noted the pid');
});

/** A killed process keeps its files, and with them its locks, until its last thread has ended. */
function threadsOf(pid: number): number {
  try {
    return fs.readdirSync(`/proc/${pid}/task`).length;
  } catch {
    return 0;
  }
}

/** Prints for a while, and ignores hang-ups. */
function program(mark: string): string[] {
  return ['sh', '-c', `: ${mark}; trap "" HUP; for i in 1 2 3 4 5 6 7 8 9; do echo line $i; sleep 0.02; done`];
}

/** Reads complete lines of every events.jsonl, like a following reader. */
class EventReaders {
  readonly received = new Map<string, string[]>();
  readonly #runs: string;

  constructor({ home }: Place) {
    this.#runs = path.join(home, 'runs');
  }

  read(): void {
    for (const id of this.ids()) this.received.set(id, this.linesOf(id));
  }

  ids(): string[] {
    return fs.existsSync(this.#runs) ? fs.readdirSync(this.#runs) : [];
  }

  linesOf(id: string): string[] {
    const file = path.join(this.#runs, id, '.audit', 'events.jsonl');
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  }
}

async function expectRecovered(place: Place, readers: EventReaders, mark: string, when: string): Promise<void> {
  const recovered = await tacho(place, 'recover');
  expect(recovered.code, `${when}: ${recovered.stdout}${recovered.stderr}`).toBe(0);
  await expect.poll(() => processesWith(mark), { message: when }).toEqual([]);
  for (const id of readers.ids()) {
    const folder = runFolderAt(path.join(place.home, 'runs', id));
    const record = path.join(folder.path, '.run.json');
    const received = readers.received.get(id) ?? [];
    if (!fs.existsSync(record)) {
      // The recorder had only created the folder, and perhaps the one inside it.
      expect(
        fs.readdirSync(folder.path).filter((name) => name !== '.audit'),
        when,
      ).toEqual([]);
      expect(received, when).toEqual([]);
      continue;
    }
    const { live, status } = JSON.parse(fs.readFileSync(record, 'utf8'));
    expect({ live, ended: ['succeeded', 'failed'].includes(status) }, `${when}: ${id} ${status}`).toEqual({
      live: null,
      ended: true,
    });
    expect(readers.linesOf(id).slice(0, received.length), when).toEqual(received);
    const verification = await verifyRun(folder);
    expect(verification, `${when}: ${id}`).toMatchObject({ verdict: 'intact', problems: [] });
  }
}
