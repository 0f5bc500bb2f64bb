import { manyAtOnce } from '../support/many-at-once.ts';
import { loadNodePty } from '../support/node-pty.ts';

/** Runs a command many times on node-pty; prints how many bytes arrived, and in how many runs some were missing. */
const [folder, runs, width, expected, command, ...args] = process.argv.slice(2) as [string, ...string[]];
const pty = loadNodePty(folder);
let received = 0;
let incomplete = 0;
await manyAtOnce(
  Number(runs),
  Number(width),
  () =>
    new Promise<void>((resolve) => {
      let bytes = 0;
      const terminal = pty.spawn(command!, args, { encoding: null });
      terminal.onData((data) => {
        bytes += data.length;
      });
      terminal.onExit(() => {
        // A little longer than its users wait: bytes that arrive right after the exit count as received.
        setTimeout(() => {
          received += bytes;
          if (bytes !== Number(expected)) incomplete++;
          resolve();
        }, 5);
      });
    }),
);
process.stdout.write(JSON.stringify({ received, incomplete }));
process.exit();
