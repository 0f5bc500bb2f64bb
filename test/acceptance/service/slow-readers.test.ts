import fs from 'node:fs';
import net from 'node:net';
import { describe, expect, test } from 'vitest';
import { fakeEngine } from '../../support/fake-engine.ts';
import { fullSize, proofSize } from '../../support/proof-size.ts';
import { type Service, startService, whenResting } from '../../support/service.ts';

describe('slow readers of a fast run get every event and cost the server little', () => {
  test('every reader gets every event in order, and server memory stays small', { timeout: 900_000 }, async () => {
    const messages = proofSize({ small: 4000, full: 100_000 });
    const service = await startService({ env: fakeEngine('codex', 'codex-talks.mjs') });
    const { run_id } = await service.client.createRun({
      engine: 'codex',
      prompt: 'talk',
      engine_args: [`--messages=${messages}`],
    });
    const before = residentBytes(service.process.pid!);
    const slow = Array.from({ length: proofSize({ small: 6, full: 20 }) }, () => readSlowly(service, run_id));
    const fast: number[] = [];
    for await (const { seq } of service.client.followEvents(run_id)) fast.push(seq);
    const all = await Promise.all(slow);
    await whenResting(service.client, run_id);
    const wanted = service.events(run_id).map(({ seq }) => seq);
    expect(wanted.length).toBeGreaterThan(messages);
    expect(fast).toEqual(wanted);
    for (const seqs of all) expect(seqs).toEqual(wanted);
    const grown = residentBytes(service.process.pid!) - before;
    if (fullSize) console.log(`RSS grew by ${Math.round(grown / 1e6)} MB`);
    expect(grown).toBeLessThan(50 * 1024 * 1024);
  });
});

/** A reader that takes little at a time, with pauses: the server may buffer no more than its socket does. */
function readSlowly(service: Service, runId: string): Promise<number[]> {
  const { hostname, port } = new URL(service.url);
  const socket = net.connect({ host: hostname, port: Number(port) });
  socket.write(
    `GET /v1/runs/${runId}/events/stream HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${service.token}\r\n\r\n`,
  );
  let text = '';
  const seqs: number[] = [];
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      const end = text.lastIndexOf('\n');
      for (const [, seq] of text.slice(0, end + 1).matchAll(/^id: ?(\d+)\r?$/gm)) seqs.push(Number(seq));
      const closed = text.includes('event: stream.closed');
      text = text.slice(end + 1);
      if (closed) {
        socket.destroy();
        resolve(seqs);
        return;
      }
      socket.pause();
      setTimeout(() => socket.resume(), 2);
    });
  });
}

function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024;
}
