import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../support/service.ts';
import { openStudio } from '../support/studio.ts';
import { temporaryFolder } from '../support/tacho.ts';

test('the Studio works through nginx with any forwarded Host', async () => {
  for (const hostLine of ['', 'proxy_set_header Host $host;']) {
    const port = await freePort();
    // A name that the server does not accept by default; browsers resolve it without a name server.
    const url = `http://studio.localhost:${port}`;
    const service = await startService({ env: { TACHO_SERVICE_PUBLIC_URL: url } });
    await startNginx(port, `location / { proxy_pass ${service.url}; ${PROXY} ${hostLine} }`);
    const { page, complaints } = await openStudio({ url, token: service.token }, '/new');
    const { run_id } = await page.evaluate(startRun, { path: '', token: service.token });
    await page.goto(`${url}/runs/${run_id}`);
    await page.getByText('through the proxy').first().waitFor();
    expect(complaints).toEqual([]);
    const strange = await fetch(`http://127.0.0.1:${port}/v1/health`, { headers: { origin: 'https://evil.example' } });
    expect(strange.status).toBe(403);
  }
});

test('the Studio works through nginx below a path', async () => {
  const port = await freePort();
  const url = `http://studio.localhost:${port}/tools/tacho`;
  const service = await startService({ env: { TACHO_SERVICE_PUBLIC_URL: `${url}/` } });
  await startNginx(port, `location /tools/tacho/ { proxy_pass ${service.url}/; ${PROXY} }`);
  const { page, complaints } = await openStudio({ url, token: service.token }, '/');
  const { run_id } = await page.evaluate(startRun, { path: '/tools/tacho', token: service.token });
  await page.getByRole('link', { name: 'echo through the proxy' }).click();
  await page.getByText('through the proxy').first().waitFor();
  expect(new URL(page.url()).pathname).toBe(`/tools/tacho/runs/${run_id.slice(-8)}`);
  await page.reload();
  await page.locator('[data-pane="terminal"]').getByText('through the proxy').first().waitFor();
  await page.goto(`${url}/terminals`);
  await page.getByRole('link', { name: 'Runs' }).first().click();
  await page.getByRole('link', { name: 'echo through the proxy' }).waitFor();
  expect(new URL(page.url()).pathname).toMatch(/^\/tools\/tacho\/?$/);
  expect(complaints).toEqual([]);
});

/** Runs in the page, as one of its own requests, with the browser's Origin. */
async function startRun({ path, token }: { path: string; token: string }): Promise<{ run_id: string }> {
  const answer = await fetch(`${path}/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ command: ['echo', 'through the proxy'] }),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
  return answer.json();
}

const PROXY = 'proxy_http_version 1.1; proxy_set_header Connection "";';

async function startNginx(port: number, location: string): Promise<void> {
  const folder = temporaryFolder('tacho-nginx-');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const config = `
    daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
    events {}
    http {
      access_log off;
      ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
      server {
        listen 127.0.0.1:${port};
        ${location}
      }
    }`;
  const file = path.join(folder, 'nginx.conf');
  fs.writeFileSync(file, config);
  const nginx = spawn('nginx', ['-c', file, '-e', `${folder}/error.log`], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
  onTestFinished(() => void nginx.kill('SIGKILL'));
  await expect.poll(async () => nginx.exitCode !== null || isListening(port)).toBe(true);
  expect(nginx.exitCode, fs.readFileSync(`${folder}/error.log`, 'utf8')).toBeNull();
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => done(true)).once('error', () => done(false));
    const done = (connected: boolean) => {
      socket.destroy();
      resolve(connected);
    };
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
