import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readRegularFile } from '../../../src/files/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { sharedService } from '../../support/service.ts';
import { tachoHere } from '../../support/tacho-here.ts';
import { FEW_WAYS, programOf, WAYS } from './hostile-ways.ts';

const service = sharedService();
const at = (runId: string, name: string) => path.join(service.home, 'runs', runId, name);

/** Things a program could put in place of a file. */
const KINDS: Record<string, (file: string) => void> = {
  'a pipe': (file) => execFileSync('mkfifo', [file]),
  'a link to a device': (file) => fs.symlinkSync('/dev/zero', file),
  'a folder': (file) => fs.mkdirSync(file),
  'a giant': (file) => {
    fs.writeFileSync(file, '');
    fs.truncateSync(file, 2 ** 40);
  },
};
const FILES = [
  '.run.json',
  ...['events.jsonl', 'events.idx', 'conversation.jsonl', 'parser_diagnostics.jsonl'].map((name) => `.audit/${name}`),
  ...['meta.1.json', 'seal.1.json', 'stdout.1.log', 'pty-output.1.log', 'chunks.1.idx'].map((name) => `.audit/${name}`),
  ...['fs-before.1.json', 'fs-diff.1.json', 'redactions.1.json', 'lock.9'].map((name) => `.audit/${name}`),
  '.audit',
];
/** More than the four threads that read files: opening a pipe could block a thread for ever. */
const ABOVE_POOL = 8;
const ADDRESSES = [
  '',
  '/events',
  '/conversation',
  '/result',
  '/files',
  '/attempts/1',
  '/timing/1',
  '/raw/stdout.1/lines?around=0',
];

/** The status of the response: only its existence matters. */
async function ask(rest: string, init: RequestInit = {}): Promise<number> {
  const headers = { authorization: `Bearer ${service.token}`, ...init.headers };
  const answer = await fetch(`${service.url}${rest}`, { ...init, headers });
  await answer.arrayBuffer();
  return answer.status;
}

async function recorded(command: string[]): Promise<string> {
  const { run_id } = await service.client.createRun({ command });
  // While a program has moved its record away, the record cannot be read.
  await expect
    .poll(() => readRecord(run_id))
    .toMatchObject({ status: expect.stringMatching(/^(?:succeeded|failed)$/), live: null });
  return run_id;
}

function readRecord(runId: string): unknown {
  try {
    return JSON.parse(readRegularFile(at(runId, '.run.json')));
  } catch {
    return null;
  }
}

describe('a program that the server runs', () => {
  for (const way of proofSize({ small: FEW_WAYS.slice(0, 5), full: WAYS })) {
    test(`${way.name}: the run ends with its exit code, and the server answers`, async () => {
      const elsewhere = fs.mkdtempSync(path.join(service.home, 'elsewhere-'));
      const runId = await recorded(programOf(way, { home: service.home, elsewhere }));
      expect(service.record(runId).status).toBe('failed');
      expect(service.record(runId).last).toMatchObject({ exit_code: 7 });
      const { verdict } = (await service.client.verify(runId)) as { verdict: string };
      const reported = service.record(runId).last?.reason_code === 'RECORD_TOUCHED';
      expect(reported || way.harmless || way.passing || verdict !== 'intact').toBe(true);
      expect(await ask('/v1/health')).toBe(200);
    });
  }
});

/** Records with the command, in this process. */
async function recordedHere(command: string[]): Promise<string> {
  const env = { ...process.env, TACHO_HOME: service.home } as Record<string, string>;
  const { stdout } = await tachoHere(['run', '--scratch', '--json', '--', ...command], {
    cwd: service.home,
    env,
    input: '',
  });
  return (JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as { run_id: string }).run_id;
}

describe('other things in place of the files of a record', () => {
  for (const [kind, put] of Object.entries(KINDS)) {
    // Finding the line around a byte would read the whole file of one terabyte.
    const addresses = ADDRESSES.filter((address) => kind !== 'a giant' || !address.includes('around'));
    const times = proofSize({ small: kind === 'a pipe' ? ABOVE_POOL : 1, full: ABOVE_POOL });
    test(`${kind}: the server answers every request`, async () => {
      for (const file of proofSize({ small: FILES.slice(0, 2), full: FILES })) {
        const runId = await recordedHere(['echo', 'one']);
        fs.rmSync(at(runId, file), { recursive: true, force: true });
        put(at(runId, file));
        const verifying = Array.from({ length: times }, () => ask(`/v1/runs/${runId}/verify`, { method: 'POST' }));
        const statuses = await Promise.all([
          ...verifying,
          ...addresses.map((address) => ask(`/v1/runs/${runId}${address}`)),
          ask(`/v1/runs/${runId}/raw/stdout.1`, { headers: { range: 'bytes=0-9' } }),
          ask('/v1/runs'),
          ask('/v1/runs?q=one'),
        ]);
        expect(
          statuses.filter((status) => status >= 500 && status !== 507),
          file,
        ).toEqual([]);
        expect(await ask('/v1/health'), file).toBe(200);
      }
    });
  }

  test('the next server starts, and lists the runs', async () => {
    await service.kill();
    await service.again();
    expect(await ask('/v1/runs')).toBe(200);
  });
});
