// One text of 40,009 bytes to a non-blocking terminal: the kernel takes a part at a time.
import fs from 'node:fs';

process.stdout._handle.setBlocking(false);
let rest = Buffer.from(`{"t":"${'q'.repeat(40_000)}"}\n`);
const pause = new Int32Array(new SharedArrayBuffer(4));
while (rest.length > 0) {
  try {
    rest = rest.subarray(fs.writeSync(1, rest));
  } catch (error) {
    if (error.code !== 'EAGAIN') throw error;
    Atomics.wait(pause, 0, 0, 1);
  }
}
