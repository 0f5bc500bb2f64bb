// Prints recorded logs again, in pieces of random size with pauses, like an engine.
//   PRINT_LOG=<folder with stdout.log and stderr.log>  PRINT_LOG_SEED=<number>
import fs from 'node:fs';
import path from 'node:path';

const folder = process.env.PRINT_LOG;
let seed = Number(process.env.PRINT_LOG_SEED ?? 1);
const random = () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};
const read = (name) => {
  const file = path.join(folder, name);
  return fs.existsSync(file) ? fs.readFileSync(file) : Buffer.alloc(0);
};
const left = [
  { to: process.stdout, bytes: read('stdout.log') },
  { to: process.stderr, bytes: read('stderr.log') },
];

function step() {
  const open = left.filter(({ bytes }) => bytes.length > 0);
  if (open.length === 0) return;
  const source = open[Math.floor(random() * open.length)];
  const length = 1 + Math.floor(random() * Math.max(64, source.bytes.length / 6));
  source.to.write(source.bytes.subarray(0, length));
  source.bytes = source.bytes.subarray(length);
  const pause = random();
  setTimeout(step, pause < 0.8 ? 0 : pause * 60);
}

step();
