import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import readline from 'node:readline';
import { expect, test } from 'vitest';
import type { SessionInfo } from '../../../src/protocol/index.ts';
import { startService, whenResting } from '../../support/service.ts';
import { openStudio } from '../../support/studio.ts';
import { finished, temporaryFolder } from '../../support/tacho.ts';
import { daemonOf, startTacho } from './daemon.ts';

test('a terminal opened over the socket is seen and taken over in the Studio, and its recording verifies', {
  timeout: 120_000,
}, async () => {
  let service = await startService();
  const workspace = fs.realpathSync(temporaryFolder());
  const daemon = daemonOf(workspace, { TACHO_HOME: service.home });
  await daemon.client().call('system.ping', {});
  const session = await createOverSocket(daemon.serverFile(), {
    kind: 'pty',
    name: 'paint',
    argv: ['bash', '--norc', '--noprofile'],
    record: true,
  });
  const run = session.recording!.run_id;

  const studio = await openStudio(service, '/terminals');
  const { page } = studio;
  const rows = page.locator('.xterm-rows > div');
  const screen = async () => (await rows.allTextContents()).join('\n').replaceAll('\u00a0', ' ');
  const shows = (text: RegExp) => expect.poll(screen).toMatch(text);
  await page.getByRole('row', { name: /paint/ }).click();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Take over' }).click();
  await page.keyboard.type('echo colour-$((3*14))');
  await page.keyboard.press('Enter');
  await shows(/colour-42\s/);

  // The terminal does not depend on the server: it outlives it, and the page reconnects to it.
  await service.kill();
  await page.locator('.problem', { hasText: 'Reconnecting…' }).waitFor();
  service = await startService({ home: service.home, port: new URL(service.url).port });
  await page.getByText('connected', { exact: true }).first().waitFor();
  await page.keyboard.type('echo blue >door.txt; exit 7');
  await page.keyboard.press('Enter');
  await page
    .getByText(/exit code 7/)
    .first()
    .waitFor();
  expect(fs.readFileSync(path.join(workspace, 'door.txt'), 'utf8')).toBe('blue\n');

  expect(await whenResting(service.client, run)).toMatchObject({ status: 'failed', last: { exit_code: 7 } });
  await page.getByRole('link', { name: 'recorded' }).click();
  await page.waitForURL(/\/runs\//);
  await shows(/colour-42[\s\S]*exit 7/);
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('button', { name: /Intact/ }).waitFor();
  for (const word of ['verify', 'reparse']) {
    const { code, stdout, stderr } = await finished(startTacho([word, run], { env: { TACHO_HOME: service.home } }));
    expect(code, `${word}: ${stdout}${stderr}`).toBe(0);
  }
  const typed = Buffer.from(await service.client.raw(run, 'stdin', 1)).toString();
  expect(typed).toBe('echo colour-$((3*14))\recho blue >door.txt; exit 7\r');
  expect(await service.client.files(run)).toMatchObject({ created: [{ path: 'door.txt' }] });
  expect(studio.complaints.filter((text) => !text.includes('net::ERR_'))).toEqual([]);
});

/** Connects as any program can, with only the socket path and the secret from server.json. */
function createOverSocket(
  { socket_path, secret }: { socket_path: string; secret: string },
  params: object,
): Promise<SessionInfo> {
  const socket = net.connect(socket_path);
  socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'session.create', params, secret })}\n`);
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    readline.createInterface({ input: socket }).once('line', (line) => {
      socket.end();
      const { result, error } = JSON.parse(line);
      if (result) resolve(result);
      else reject(new Error(JSON.stringify(error)));
    });
  });
}
