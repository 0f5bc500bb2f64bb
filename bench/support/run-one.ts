import path from 'node:path';
import type { Bench, BenchResult } from './bench.ts';

/** Runs one bench script and sends its result to the process that started this one. */
const bench = (await import(process.argv[2]!)) as Bench;
const { name, goal, about } = bench;
const rows = await bench.run();
const result: BenchResult = {
  name,
  goal,
  rows,
  script: path.basename(process.argv[2]!),
  ...(about === undefined ? {} : { about }),
};
process.send!(result, undefined, {}, () => process.disconnect());
