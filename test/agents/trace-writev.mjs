// One writev to stdout with every byte value in it, and a plain line on stderr.
import fs from 'node:fs';

fs.writevSync(1, [
  Buffer.from('{"type":"a"}'),
  Buffer.from('\n'),
  Buffer.from(Array.from({ length: 256 }, (_, n) => n)),
]);
fs.writeSync(2, 'tail "quoted" \\ 7\n');
