import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type Finished, finished, projectRoot, temporaryFolder } from '../support/tacho.ts';

export interface PackageUser {
  /** The folder of a program that has this package installed, as npm would. */
  folder: string;
  /** Runs a program there to its end, without keys and without the user's settings. */
  run(file: string, options?: { args?: readonly string[]; env?: Record<string, string> }): Promise<Finished>;
}

export function packageUser(): PackageUser {
  const folder = temporaryFolder('tacho-example-');
  const modules = path.join(folder, 'node_modules');
  fs.mkdirSync(modules);
  fs.symlinkSync(projectRoot, path.join(modules, 'tachograph'));
  // A dependency of the package, so npm installs it beside it.
  fs.symlinkSync(path.join(projectRoot, 'node_modules/zod'), path.join(modules, 'zod'));
  const temporary = path.join(folder, 'tmp');
  fs.mkdirSync(temporary);
  return {
    folder,
    run: (file, { args = [], env = {} } = {}) =>
      finished(
        spawn(process.execPath, [file, ...args], {
          cwd: folder,
          env: {
            PATH: process.env.PATH!,
            HOME: folder,
            TACHO_HOME: path.join(folder, 'home'),
            TMPDIR: temporary,
            ...env,
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      ),
  };
}
