// Writes the given number of MiB of x to stdout, blocking, and counts its 64 KiB pieces in a file.
import fs from 'node:fs';

const [mebibytes, countFile] = process.argv.slice(2);
const piece = Buffer.alloc(65_536, 'x');
for (let count = 1; count <= Number(mebibytes) * 16; count++) {
  let rest = piece;
  while (rest.length > 0) rest = rest.subarray(fs.writeSync(1, rest));
  fs.writeFileSync(countFile, String(count));
}
