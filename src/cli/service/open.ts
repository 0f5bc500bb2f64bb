import { spawn } from 'node:child_process';
import { TachoError } from '../../protocol/index.ts';
import { findRun } from '../../recording/index.ts';
import { findServer, loadTokens } from '../../runs/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';
import { isProgram } from '../run/is-program.ts';

/** `tacho open`: prints the Studio's address and opens it in a browser if there is one. */
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
  // Output that is not a terminal may be a log.
  const { isTTY } = process.stdout;
  process.stdout.write(`${isTTY ? `${url}#token=${loadTokens(home.root).admin}` : url}\n`);
  // Every user of the machine can read a program's arguments, so they must not contain the token.
  if (isTTY && hasBrowser(process.env)) openBrowser(url);
}

function hasBrowser(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY) && isProgram('xdg-open');
}

function openBrowser(url: string): void {
  const browser = spawn('xdg-open', [url], { detached: true, stdio: 'ignore' });
  // The address is printed, so a browser that fails to start is not an error.
  browser.on('error', () => {});
  browser.unref();
}
