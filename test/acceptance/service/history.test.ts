import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ByteRange } from '../../../src/protocol/index.ts';
import { sharedService, whenResting } from '../../support/service.ts';

const service = sharedService();

describe('history over HTTP equals the files on disk', () => {
  test('events by time and by number equal those in the file', async () => {
    const script = 'for i in 1 2 3 4 5 6; do echo "line $i"; sleep 0.12; done';
    const { run_id } = await service.client.createRun({ command: ['sh', '-c', script] });
    await whenResting(service.client, run_id);
    const events = service.events(run_id);
    const numbered = await service.client.events(run_id, { from_seq: 3, to_seq: 6 });
    expect(numbered.events).toEqual(events.filter(({ seq }) => seq >= 3 && seq <= 6));
    const [from_ts, to_ts] = [events[4]!.ts, events.at(-4)!.ts];
    const timed = await service.client.events(run_id, { from_ts, to_ts });
    expect(timed.events).toEqual(events.filter(({ ts }) => ts >= from_ts && ts <= to_ts));
    expect(timed.events.length).toBeGreaterThan(2);
  });

  test('Range requests return the exact bytes behind every event', async () => {
    const { run_id } = await service.client.createRun({
      command: ['sh', '-c', 'printf "héllo\\n"; sleep 0.1; seq 1 400; echo err >&2'],
    });
    await whenResting(service.client, run_id);
    const log = (stream: string) => fs.readFileSync(path.join(service.home, 'runs', run_id, `.audit/${stream}.1.log`));
    const refs = service.events(run_id).map(({ raw_ref }) => raw_ref as ByteRange | null);
    for (const ref of refs.filter((one) => one !== null)) {
      const { stream, byte_from, byte_to } = ref;
      const answer = await fetch(`${service.url}/v1/runs/${run_id}/raw/${stream}.1`, {
        headers: { authorization: `Bearer ${service.token}`, range: `bytes=${byte_from}-${byte_to - 1}` },
      });
      expect(answer.status).toBe(206);
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(log(stream).subarray(byte_from, byte_to));
    }
  });

  test('search finds a string anywhere, also across the boundaries of read blocks', async () => {
    // Longer than any block a reader might use, with the needle across likely block boundaries.
    const script =
      'head -c 65530 /dev/zero | tr "\\0" x; printf "the needle\\n"; head -c 200000 /dev/zero | tr "\\0" y; echo needle again';
    const { run_id } = await service.client.createRun({ command: ['sh', '-c', script] });
    await whenResting(service.client, run_id);
    const text = fs.readFileSync(path.join(service.home, 'runs', run_id, '.audit/stdout.1.log'), 'latin1');
    const found = await service.client.searchRaw(run_id, 'stdout', 1, { q: 'needle' });
    const places = [text.indexOf('needle'), text.lastIndexOf('needle')];
    expect(found.matches.map(({ byte_from }) => byte_from)).toEqual(places);
  });
});
