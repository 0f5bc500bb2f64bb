import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

/** Keeps the unit tests fast and free of programs that would have to be installed. */
const names = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'] as const;
for (const name of names) {
  Object.assign(childProcess, {
    [name]: () => {
      throw new Error('A unit test started a process. Name its file ….process.test.ts (see CONTRIBUTING.md).');
    },
  });
}
syncBuiltinESMExports();
