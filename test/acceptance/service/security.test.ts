import fs from 'node:fs';
import { request } from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { damagedRequests } from '../../support/openapi-requests.ts';
import { proofSize } from '../../support/proof-size.ts';
import { type Service, sharedService, whenResting } from '../../support/service.ts';

interface Sent {
  status: number;
  body: string;
}

/** Sends any header, also those that `fetch` does not allow. */
function send(
  service: Service,
  method: string,
  target: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<Sent> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path: target, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece: string) => {
        text += piece;
        if (text.length > 1_000_000) answer.destroy();
      });
      answer.on('close', () => resolve({ status: answer.statusCode!, body: text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Announces ten megabytes: the server refuses them before they are sent. */
function answerToHuge(service: Service): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = net.connect({ host: hostname, port: Number(port) });
  const lines = [
    'POST /v1/runs HTTP/1.1',
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${service.token}`,
    'Content-Type: application/json',
    'Content-Length: 10485760',
    '',
    '{"command":["echo","',
  ];
  socket.write(lines.join('\r\n'));
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.once('data', (bytes: Buffer) => {
      socket.destroy();
      resolve(bytes.toString().split('\r\n')[0]!);
    });
  });
}

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-service-'));
const reader = `tacho_${'r'.repeat(40)}`;
fs.writeFileSync(path.join(home, 'token'), `admin tacho_${'a'.repeat(40)}\nread ${reader}\n`, { mode: 0o600 });
const service = sharedService({ home });

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('requests without the right token, host, path or size are refused', () => {
  test('rejects wrong tokens, hosts, origins, paths and sizes', async () => {
    const { run_id } = await service.client.createRun({ command: ['echo', 'hello'] });
    await whenResting(service.client, run_id);
    const admin = bearer(service.token);
    const run = `/v1/runs/${run_id}`;

    expect((await send(service, 'GET', run)).status).toBe(401);
    expect((await send(service, 'GET', run, bearer('tacho_wrong'))).status).toBe(401);
    expect((await send(service, 'GET', run, bearer(reader))).status).toBe(200);
    expect((await send(service, 'GET', run, { ...admin, host: 'evil.example' })).status).toBe(403);
    expect((await send(service, 'GET', run, { ...admin, origin: 'http://evil.example' })).status).toBe(403);
    const json = { 'content-type': 'application/json' };
    const reply = JSON.stringify({ interaction_id: '1.1', text: 'x' });
    expect((await send(service, 'POST', `${run}/reply`, { ...bearer(reader), ...json }, reply)).status).toBe(403);
    expect((await send(service, 'POST', '/v1/runs', { ...bearer(reader), ...json }, '{"command":["id"]}')).status).toBe(
      403,
    );

    fs.symlinkSync('/etc/passwd', path.join(service.home, 'runs', run_id, '.audit', 'link.1.log'));
    const outside = [
      '/v1/runs/..%2f..%2fetc',
      `/v1/runs/%2fetc%2fpasswd`,
      `${run}/raw/..%2f..%2f.run.1`,
      `${run}/raw/link.1`,
      `${run}/raw/%2fetc%2fpasswd`,
      `${run}/files/content?sha=..%2f..%2f.run.json`,
    ];
    for (const target of outside) {
      const { status, body } = await send(service, 'GET', target, admin);
      expect([target, status === 404 || status === 400]).toEqual([target, true]);
      expect(body).not.toContain('root:');
    }
    expect(await answerToHuge(service)).toContain(' 413 ');
    const log = fs.readFileSync(path.join(service.home, 'logs/server.log'), 'utf8');
    expect(log).not.toContain(service.token);
    expect(fs.statSync(path.join(home, 'token')).mode & 0o777).toBe(0o600);
  });

  test('no random request causes an internal error', { timeout: 900_000 }, async () => {
    const { run_id } = await service.client.createRun({ command: ['echo', 'hello'] });
    await whenResting(service.client, run_id);
    const document = JSON.parse((await send(service, 'GET', '/v1/openapi.json', bearer(service.token))).body) as object;
    for (const { method, target, body } of damagedRequests(document, run_id, proofSize({ small: 200, full: 10_000 }))) {
      const headers = { ...bearer(service.token), 'content-type': 'application/json', connection: 'close' };
      const { status, body: answer } = await send(service, method, target, headers, body);
      expect(status, `${method} ${target} ${body}\n${answer}`).toBeLessThan(500);
    }
    expect(await service.client.health()).toMatchObject({ status: 'ok' });
  });
});
