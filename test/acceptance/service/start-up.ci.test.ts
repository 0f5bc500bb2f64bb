import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { ReadStream } from 'node:tty';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openPty } from '../../../src/terminal/pty.ts';
import { sharedService, startService } from '../../support/service.ts';
import { finished, projectRoot, tachoCommand, temporaryFolder, until } from '../../support/tacho.ts';

const service = sharedService();

describe('a server prints its address, or why it cannot start', () => {
  test('the ready line names an address and a token that work', async () => {
    expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(service.token).toMatch(/^tacho_[\w-]{40,}$/);
    expect(await service.client.health()).toMatchObject({ status: 'ok' });
    const curl = await finished(
      spawn('curl', ['-sf', '-H', `Authorization: Bearer ${service.token}`, `${service.url}/v1/runs`]),
    );
    expect(JSON.parse(curl.stdout)).toMatchObject({ runs: [], total: 0 });
  });

  test('a server that cannot start prints why and exits', async () => {
    const home = temporaryFolder();
    fs.writeFileSync(path.join(home, 'token'), 'no token\n', { mode: 0o600 });
    const child = spawn(process.execPath, [tachoCommand, 'start', '--port', '0', '--data', home]);
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(await finished(child)).toMatchObject({ code: 2, stderr: expect.stringContaining('[CONFIG_INVALID]') });
  });

  test('a SIGTERM right after the ready line stops the server cleanly', async () => {
    const home = temporaryFolder();
    const early = path.join(home, 'early.cjs');
    // The signal arrives before the call that prints the line returns.
    fs.writeFileSync(
      early,
      `const { write } = process.stdout;
      process.stdout.write = function (text, ...more) {
        const taken = write.call(this, text, ...more);
        if (String(text).startsWith('{"url"')) process.kill(process.pid, 'SIGTERM');
        return taken;
      };`,
    );
    const words = ['--require', early, tachoCommand, 'start', '--port', '0', '--json', '--data', home];
    const child = spawn(process.execPath, words);
    onTestFinished(() => void child.kill('SIGKILL'));
    const { code, signal, stdout } = await finished(child);
    expect({ code, signal, stdout }).toEqual({ code: 0, signal: null, stdout: expect.stringContaining('{"url"') });
    expect(fs.existsSync(path.join(home, 'server.json'))).toBe(false);
  });

  test('npm start runs the server', async () => {
    const env = { ...process.env, TACHO_HOME: temporaryFolder(), TACHO_SERVICE_PORT: '0', NO_COLOR: '1' };
    const child = spawn('npm', ['start', '--silent'], { cwd: projectRoot, env, detached: true });
    let text = '';
    child.stdout!.on('data', (bytes: Buffer) => {
      text += bytes.toString();
    });
    const ended = finished(child);
    await until(() => text.includes('Ctrl-C'));
    expect(text).toMatch(/ready at (http:\/\/127\.0\.0\.1:\d+)\n\s+Studio\s+\1\n/);
    expect(text).not.toContain('Other machines');
    // Output that is not a terminal may be a log: the token must not be in it.
    expect(text).toContain(`${env.TACHO_HOME}/token`);
    expect(text).not.toMatch(/tacho_\w/);
    process.kill(-child.pid!, 'SIGINT');
    await ended;
  });

  test('prints the token, and the page address with it, to a terminal', async () => {
    const pty = openPty({ cols: 200, rows: 24, echo: true, outputProcessing: false });
    const screen = new ReadStream(pty.master);
    let text = '';
    screen.on('data', (bytes: Buffer) => {
      text += bytes.toString();
    });
    const env = { ...process.env, TACHO_HOME: temporaryFolder(), NO_COLOR: '1' };
    const stdio = ['ignore', pty.programSlave, 'ignore'] as const;
    const child = spawn(process.execPath, [tachoCommand, 'start', '--port', '0'], { env, stdio: [...stdio] });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    fs.closeSync(pty.programSlave);
    await until(() => text.includes('Ctrl-C'));
    child.kill('SIGINT');
    await ended;
    screen.destroy();
    fs.closeSync(pty.slave);
    expect(text).toMatch(/ready at (http:\/\/127\.0\.0\.1:\d+)\n\s+Studio\s+\1\/#token=(tacho_\S+)\n\s+token\s+\2\n/);
  });

  test('--host 0.0.0.0 prints a warning about other machines', async () => {
    const env = { ...process.env, TACHO_HOME: temporaryFolder(), NO_COLOR: '1' };
    const child = spawn(process.execPath, [tachoCommand, 'start', '--port', '0', '--host', '0.0.0.0'], { env });
    let text = '';
    child.stdout!.on('data', (bytes: Buffer) => {
      text += bytes.toString();
    });
    const ended = finished(child);
    await until(() => text.includes('Ctrl-C'));
    child.kill('SIGINT');
    await ended;
    expect(text).toContain('Other machines can reach it');
  });

  test('refuses a second server on the same data folder, and a port in use', async () => {
    await expect(service.again()).rejects.toThrow('SERVER_RUNNING');
    const { port } = new URL(service.url);
    await expect(startService({ port })).rejects.toThrow('PORT_UNAVAILABLE');
  });
});
