import path from 'node:path';
import * as z from 'zod';
import { readRegularFile, writeWhole } from '../../files/index.ts';

/** How far the logs of child agents were printed: bytes by run id. Only the program of the engine uses it. */
const positionsSchema = z.strictObject({
  format: z.literal('tacho-child-positions/1'),
  printed: z.record(z.string(), z.int().min(0)),
});

const NAME = 'children.json';

export function readPositions(runFolder: string): Map<string, number> {
  try {
    const { printed } = positionsSchema.parse(JSON.parse(readRegularFile(path.join(runFolder, NAME))));
    return new Map(Object.entries(printed));
  } catch {
    return new Map(); // There is none, or it is damaged: lines are printed again.
  }
}

export function writePositions(runFolder: string, printed: ReadonlyMap<string, number>): void {
  const content = { format: 'tacho-child-positions/1' as const, printed: Object.fromEntries(printed) };
  writeWhole(path.join(runFolder, NAME), `${JSON.stringify(content)}\n`);
}
