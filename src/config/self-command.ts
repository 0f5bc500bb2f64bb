import fs from 'node:fs';
import path from 'node:path';
import { embeddedList } from './embedded-files.ts';

/** The words that start this program once more, for work that is to outlive the process: its arguments come after them. */
export function selfCommand(): string[] {
  if (embeddedList()) return [process.execPath];
  // Whoever uses tacho as a library has a program of their own in argv[1].
  return [process.execPath, builtFile('tacho.cjs') ?? process.argv[1]!];
}

/** The words that start a program that is built together with this one; null when it was not built. */
export function ownProgramCommand(name: string): string[] | null {
  if (embeddedList()) return [process.execPath, name];
  const file = builtFile(`${name}.js`);
  return file ? [process.execPath, file] : null;
}

/** Beside the bundle this runs from; in a source tree, in the build's folder. */
function builtFile(name: string): string | null {
  const here = import.meta.dirname;
  const places = [path.join(here, name), path.resolve(here, '../../dist', name)];
  return places.find((place) => fs.existsSync(place)) ?? null;
}
