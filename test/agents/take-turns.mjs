// Two processes that write in turns: each waits for the other's token before its next line, so the order is known.
import { spawn } from 'node:child_process';
import fs from 'node:fs';

const [role, turns = '20'] = process.argv.slice(2);
if (role === undefined) {
  const [one, other] = ['ping', 'pong'].map((name) =>
    spawn(process.execPath, [import.meta.filename, name, turns], {
      stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe'],
    }),
  );
  // The process that ends first may close its side during the other's last token.
  for (const stream of [one, other].flatMap(({ stdio }) => stdio.slice(3))) stream.on('error', () => {});
  one.stdio[4].pipe(other.stdio[3]);
  other.stdio[4].pipe(one.stdio[3]);
} else {
  const first = role === 'ping';
  const token = Buffer.alloc(1);
  const take = () => {
    for (;;) {
      try {
        return fs.readSync(3, token);
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
      }
    }
  };
  for (let turn = 0; turn < Number(turns); turn++) {
    if (!first || turn > 0) take();
    // Alternating streams: only the trace shows their order.
    fs.writeSync(turn % 2 === 0 ? 1 : 2, `${role} ${turn}\n`);
    fs.writeSync(4, 'x');
  }
}
