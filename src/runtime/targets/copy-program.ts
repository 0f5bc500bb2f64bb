import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { embeddedList } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { Machine } from './machine.ts';

const FOLDER = `folder=\${XDG_CACHE_HOME:-\${HOME:?}/.cache}/tacho/bin`;
const FIND = `${FOLDER}; if [ -x "$folder/$1" ]; then echo "$folder/$1"; fi`;
/** A file cut short by a lost connection looks whole to \`cat\`: only one of the right length gets its name. */
const INSTALL = [
  `umask 077; ${FOLDER}; file=$folder/$1; new=$file.$$`,
  'mkdir -p "$folder" && cat > "$new" && chmod 700 "$new" && [ "$(wc -c < "$new")" -eq "$2" ] && mv -f "$new" "$file"',
  'status=$?; rm -f "$new"; echo "$file"; exit $status',
].join('\n');

/** Copies the single executable to a machine without tacho, unless it was before; its path there. */
export async function copyProgram(machine: Machine, singleFile: string): Promise<string> {
  const file = localFile(singleFile);
  if (file === null) {
    throw new TachoError('COMMAND_UNAVAILABLE', 'there is no tacho on the target, and no single executable to copy', {
      fix: 'Install tacho there, or make the executable with: npm run build:single',
    });
  }
  const name = await fileName(file);
  const copied = await runScript(machine, FIND, [name]);
  return copied || (await runScript(machine, INSTALL, [name, String(fs.statSync(file).size)], file));
}

/** This program when it is a single executable; otherwise the one that was named, or built. */
function localFile(singleFile: string): string | null {
  if (singleFile !== '') return singleFile;
  if (embeddedList()) return process.execPath;
  const here = import.meta.dirname;
  const places = ['../build/tacho', '../../../build/tacho'].map((place) => path.resolve(here, place));
  return places.find((place) => fs.existsSync(place)) ?? null;
}

/** By its content: another build is another file, and one that is in use is not written to. */
async function fileName(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(fs.createReadStream(file), hash).catch((cause: Error) => {
    throw new TachoError('CONFIG_INVALID', `the single executable cannot be read: ${cause.message}`, {
      facts: { path: file },
      cause,
    });
  });
  return `tacho-${hash.digest('hex').slice(0, 16)}`;
}

async function runScript(machine: Machine, script: string, words: string[], input?: string): Promise<string> {
  const { stdin, stdout, ended } = await machine.start(['sh', '-c', script, 'sh', ...words]);
  stdin.on('error', () => {}); // Its status tells it.
  // Not a pipeline, which would also wait for what is printed.
  if (input === undefined) stdin.end();
  else
    fs.createReadStream(input)
      .once('error', () => stdin.end())
      .pipe(stdin);
  let printed = '';
  for await (const bytes of stdout) printed += String(bytes);
  const { exitCode, stderr } = await ended;
  if (exitCode === 0) return printed.trim();
  const code = exitCode === null ? 'SERVER_UNREACHABLE' : 'COMMAND_UNAVAILABLE';
  throw new TachoError(code, `tacho could not be copied to the target: ${stderr || `exit code ${exitCode}`}`);
}
