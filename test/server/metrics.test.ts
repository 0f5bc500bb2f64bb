import { expect, test } from 'vitest';
import { IMPORT_CODEX } from '../support/recordings.ts';
import { sandbox } from '../support/tacho.ts';
import { memoryDirector, someRun } from './support/memory-director.ts';
import { readWhole } from './support/read-stream.ts';
import { type Served, serve } from './support/serve.ts';

async function metricsOf({ ask }: Served): Promise<Map<string, number>> {
  const { text, headers } = await ask('/metrics');
  expect(headers['content-type']).toMatch(/^text\/plain/);
  const lines = text.split('\n').filter((line) => line.startsWith('tacho_'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

test('metrics cover runs, the queue, streams, requests and parsing', async () => {
  const box = sandbox();
  const { run_id } = await box.jsonHere(IMPORT_CODEX);
  await box.jsonHere(['run', '--', 'echo', 'hello']);
  const director = memoryDirector();
  const served = await serve({ director, home: box.home });
  await readWhole(served, `/v1/runs/${run_id}/events/stream`);
  await served.ask('/v1/health');
  await served.ask('/v1/nothing');
  const first = await metricsOf(served);
  expect(Object.fromEntries(first)).toMatchObject({
    'tacho_runs{status="queued"}': 3,
    'tacho_runs{status="running"}': 1,
    'tacho_runs{status="failed"}': 0,
    tacho_queue_length: 3,
    tacho_slots: 2,
    'tacho_events_delivered_total{kind="run_event"}': box.events(run_id).length,
    'tacho_sse_readers{kind="run_event"}': 0,
    'tacho_parse_attempts{engine="codex"}': 1,
    'tacho_parse_attempts{engine="text"}': 1,
    'tacho_parse_coverage_ratio{engine="codex"}': 1,
    'tacho_parse_unknown_ratio{engine="codex"}': 0,
    'tacho_http_request_duration_seconds_count{method="GET",route="/v1/health",status="200"}': 1,
    'tacho_http_request_duration_seconds_count{method="GET",route="none",status="404"}': 1,
  });
  const confidence = first.get('tacho_parse_confidence{engine="codex"}')!;
  expect(confidence).toBeGreaterThan(0.9);
  // A long-lived stream does not count as a slow request.
  expect([...first.keys()].filter((name) => name.includes('/stream"'))).toEqual([]);

  const later = await box.jsonHere(IMPORT_CODEX);
  const last = {
    attempt: 1,
    exit_code: 0,
    signal: null,
    state: 'completed',
    reason_code: 'x',
    ended_at: '2026-11-15T08:00:00Z',
  };
  director.tell({ run: someRun({ run_id: later.run_id, last }) });
  director.tell({ run: someRun({ run_id: later.run_id, last }) });
  const attempts = async () => (await metricsOf(served)).get('tacho_parse_attempts{engine="codex"}');
  await expect.poll(attempts).toBe(2);
});
