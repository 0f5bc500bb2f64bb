import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type Finished, finished, projectRoot, temporaryFolder } from '../../support/tacho.ts';

/** Kept between test runs; the build makes it again only when something it is made of has changed. */
export const singleFile = path.join(projectRoot, '.setup', 'single', 'tacho');

export async function buildSingleFile(): Promise<void> {
  const built = await finished(spawn(process.execPath, ['scripts/build-single.mjs', singleFile], { cwd: projectRoot }));
  if (built.code !== 0) throw new Error(built.stderr);
}

/** The executable where there is nothing else of ours. */
export interface LonelyTacho {
  /** Runs it without any input, to its end. */
  tacho(args: readonly string[], env?: Record<string, string>): Promise<Finished>;
  /** Runs it, says one line to it and gives the first line it answers. */
  ask(args: readonly string[], line: string): Promise<string>;
  /** `tacho start`; what it gives back asks the server for an address, with its token. */
  serve(): Promise<(address: string) => Promise<string>>;
}

/** All that is on PATH: nothing to start JavaScript with. */
const PROGRAMS = ['sh', 'bash', 'setsid', 'sleep', 'true'];

export function aloneInFolder(): LonelyTacho & { cache: string } {
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

/** Its input stays open until it has answered: the end of it would end what it does. */
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
    let complaints = '';
    stderr!.on('data', (bytes: Buffer) => {
      complaints += bytes.toString();
    });
    stdout!.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    stdout!.on('close', () => reject(new Error(`it ended after: ${text}${complaints}`)));
  });
}

export function findProgram(name: string): string {
  const places = process.env.PATH!.split(':').map((folder) => path.join(folder, name));
  return places.find((place) => fs.existsSync(place))!;
}
