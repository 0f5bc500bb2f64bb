import path from 'node:path';
import { TachoError } from '../../protocol/index.ts';
import { findServer, openRunIndex, prepareDataHome } from '../../runs/index.ts';
import { openTerminal } from '../../runtime/open-terminal.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';
import { count, formatDuration } from '../output/format.ts';
import { paint } from '../output/paint.ts';

export async function rebuildIndex(options: CommonOptions): Promise<void> {
  const { home } = openContext(options);
  prepareDataHome(home);
  const server = findServer(home);
  if (server) {
    throw new TachoError('SERVER_RUNNING', `the server at ${server.url} keeps the index`, {
      fix: `Stop it first (process ${server.pid}); it mends a damaged index by itself.`,
    });
  }
  const begun = performance.now();
  const index = await openRunIndex({ file: path.join(home.root, 'index.db'), runsRoot: home.runs, openTerminal });
  const { runs } = await index.rebuild((done, total) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${total} runs`);
  });
  await index.settled();
  await index.close();
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  const ms = performance.now() - begun;
  if (options.json) process.stdout.write(`${JSON.stringify({ runs, ms: Math.round(ms) })}\n`);
  else process.stdout.write(`${paint.green('✔')} ${count(runs, 'run')} in ${formatDuration(ms)}\n`);
}
