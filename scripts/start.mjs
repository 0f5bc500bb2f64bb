// `npm start` is `tacho` from a clone: it runs the words after `--`; without any, it starts the server.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const tacho = fileURLToPath(new URL('../bin/tacho', import.meta.url));
const given = process.argv.slice(2);
const child = spawn(process.execPath, [tacho, ...(given.length > 0 ? given : ['start'])], { stdio: 'inherit' });
// The terminal sends Ctrl-C to both processes; tacho decides how to handle it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => signal !== 'SIGINT' && child.kill(signal));
child.on('exit', (code, signal) => {
  process.exitCode = signal ? 1 : (code ?? 1);
});
