import fs from 'node:fs';
import path from 'node:path';
import { embeddedList } from './embedded-files.ts';

/** The command that starts this program again, for work that outlives the process; arguments are appended. */
export function selfCommand(): string[] {
  if (embeddedList()) return [process.execPath];
  // In a program that uses tacho as a library, argv[1] is that program.
  return [process.execPath, builtFile('tacho.cjs') ?? process.argv[1]!];
}

/** The command that starts a program built with this one; null if it was not built. */
export function ownProgramCommand(name: string): string[] | null {
  if (embeddedList()) return [process.execPath, name];
  const file = builtFile(`${name}.js`);
  return file ? [process.execPath, file] : null;
}

/** Next to the bundle that is running; in a source tree, in the build folder. */
function builtFile(name: string): string | null {
  const here = import.meta.dirname;
  const places = [path.join(here, name), path.resolve(here, '../../dist', name)];
  return places.find((place) => fs.existsSync(place)) ?? null;
}
