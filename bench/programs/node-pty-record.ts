import fs from 'node:fs';
import { loadNodePty } from '../support/node-pty.ts';

/** The minimum of a recorder on node-pty: every piece of output goes to a file. */
const [folder, file, command, ...args] = process.argv.slice(2) as [string, string, string, ...string[]];
const fd = fs.openSync(file, 'w');
let bytes = 0;
const started = performance.now();
const terminal = loadNodePty(folder).spawn(command, args, { encoding: null, cols: 120, rows: 40 });
terminal.onData((data) => {
  bytes += data.length;
  fs.writeSync(fd, data);
});
terminal.onExit(() => {
  process.stdout.write(JSON.stringify({ spanMs: performance.now() - started, bytes }));
});
