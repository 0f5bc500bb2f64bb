import { findServer } from '../../runs/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';
import { paint } from '../output/paint.ts';
import { listLive } from '../records/list.ts';

/** `tacho status`: the server and the live runs of the data folder. */
export function showStatus(options: CommonOptions): void {
  const context = openContext(options);
  const server = findServer(context.home);
  const { table, runs } = listLive(context);
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ data: context.home.root, server, runs })}\n`);
    return;
  }
  const line = server
    ? `${paint.green('●')} server at ${server.url} (process ${server.pid})`
    : 'No server is running. Start one: tacho start';
  process.stdout.write(`${line}\n${table}`);
}
