import { spawn } from 'node:child_process';
import { TachoError } from '../../protocol/index.ts';
import { findRun } from '../../recording/index.ts';
import { findServer, loadTokens } from '../../runs/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';
import { isProgram } from '../run/is-program.ts';

/** `tacho open`: the address of the Studio, in a browser where there is one. */
export async function openStudio(selector: string | undefined, options: CommonOptions): Promise<void> {
  const { home } = openContext(options);
  const place = selector === undefined ? '/' : `/runs/${findRun(home.runs, selector).runId}`;
  const server = findServer(home);
  if (!server) {
    throw new TachoError('SERVER_UNREACHABLE', `no server serves ${home.root}`, {
      facts: { path: home.root },
      fix: 'The Studio is the page of the server. Start it in another terminal: tacho start',
    });
  }
  const url = `${server.url}${place}`;
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ url })}\n`);
    return;
  }
  // What is not a terminal may be a log.
  const { isTTY } = process.stdout;
  process.stdout.write(`${isTTY ? `${url}#token=${loadTokens(home.root).admin}` : url}\n`);
  // Arguments of a program can be read by every user of the machine, so the token is not among them.
  if (isTTY && hasBrowser(process.env)) openBrowser(url);
}

function hasBrowser(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY) && isProgram('xdg-open');
}

function openBrowser(url: string): void {
  const browser = spawn('xdg-open', [url], { detached: true, stdio: 'ignore' });
  // The address is printed; that it does not open by itself is no failure.
  browser.on('error', () => {});
  browser.unref();
}
