import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type Finished, finished, projectRoot, temporaryFolder } from '../../support/tacho.ts';

/** Kept between test runs; rebuilt only when one of its inputs has changed. */
export const singleFile = path.join(projectRoot, '.setup', 'single', 'tacho');

export async function buildSingleFile(): Promise<void> {
  const built = await finished(spawn(process.execPath, ['scripts/build-single.mjs', singleFile], { cwd: projectRoot }));
  if (built.code !== 0) throw new Error(built.stderr);
}

/** The executable in a place without Node and the project. */
export interface StandaloneTacho {
  /** Runs it without input until it exits. */
  tacho(args: readonly string[], env?: Record<string, string>): Promise<Finished>;
  /** Runs it, sends one line and returns the first line of the answer. */
  ask(args: readonly string[], line: string): Promise<string>;
  /** Runs `tacho start`; returns a function that fetches an address from the server with its token. */
  serve(): Promise<(address: string) => Promise<string>>;
}

/** All programs on PATH: none can run JavaScript. */
const PROGRAMS = ['sh', 'bash', 'setsid', 'sleep', 'true'];

export function aloneInFolder(): StandaloneTacho & { cache: string } {
  const folder = temporaryFolder('tacho-alone-');
  const executable = path.join(folder, 'tacho');
  fs.copyFileSync(singleFile, executable);
  const programs = path.join(folder, 'bin');
  fs.mkdirSync(programs);
  for (const name of PROGRAMS) fs.symlinkSync(findProgram(name), path.join(programs, name));
  const cache = path.join(folder, 'cache');
  const start = (args: readonly string[], stdin: 'ignore' | 'pipe', env: Record<string, string> = {}) =>
    spawn(executable, args, {
      cwd: folder,
      env: { PATH: programs, HOME: folder, XDG_CACHE_HOME: cache, NO_COLOR: '1', ...env },
      stdio: [stdin, 'pipe', 'pipe'],
    });
  return {
    cache,
    tacho: (args, env) => finished(start(args, 'ignore', env)),
    ask: (args, line) => askProgram(start(args, 'pipe'), line),
    async serve() {
      const child = start(['start', '--port', '0', '--json'], 'ignore');
      const ended = finished(child);
      onTestFinished(async () => {
        child.kill('SIGTERM');
        await ended;
      });
      const { url, token } = JSON.parse(await firstLine(child)) as { url: string; token: string };
      return async (address) => {
        const answer = await fetch(url + address, { headers: { authorization: `Bearer ${token}` } });
        if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
        return answer.text();
      };
    },
  };
}

/** Keeps the input open until the answer arrives: the end of input would end the program. */
export async function askProgram(child: ChildProcess, line: string): Promise<string> {
  const ended = finished(child);
  child.stdin!.write(`${line}\n`);
  const answer = await firstLine(child);
  child.stdin!.end();
  await ended;
  return answer;
}

export function firstLine({ stdout, stderr }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    let errors = '';
    stderr!.on('data', (bytes: Buffer) => {
      errors += bytes.toString();
    });
    stdout!.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    stdout!.on('close', () => reject(new Error(`it ended after: ${text}${errors}`)));
  });
}

export function findProgram(name: string): string {
  const places = process.env.PATH!.split(':').map((folder) => path.join(folder, name));
  return places.find((place) => fs.existsSync(place))!;
}
