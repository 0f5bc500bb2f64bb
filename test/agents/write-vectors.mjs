// One writev(2) of several buffers on each stream.
import fs from 'node:fs';

const pieces = (name) => Array.from({ length: 50 }, (_, index) => Buffer.from(`${name} ${index}\n`));
fs.writevSync(1, pieces('out'));
fs.writevSync(2, pieces('err'));
