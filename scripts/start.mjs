// `npm start` is `tacho` from a clone: with words after `--` it runs them; without, it shows a newcomer what tacho does.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const tacho = fileURLToPath(new URL('../bin/tacho', import.meta.url));
const given = process.argv.slice(2);

if (given.length > 0) process.exitCode = await run(given);
else {
  console.log('\nA first recording: a command that prints on both streams and writes a file.\n');
  const demo = 'echo "on stdout"; echo "on stderr" >&2; date > when.txt; echo "wrote when.txt"';
  await run(['run', '--', 'bash', '-c', demo]);
  console.log('\nWhat is known about it:\n');
  await run(['show', 'last']);
  console.log('\nAnd the proof that nothing was changed since:\n');
  process.exitCode = await run(['verify', 'last']);
  console.log(
    '\nYour turn: npm start -- run -- <any command>     or, without npm: ./bin/tacho run -- <any command>\nAll commands: ./bin/tacho --help\n',
  );
}

function run(args) {
  const child = spawn(process.execPath, [tacho, ...args], { stdio: 'inherit' });
  // The terminal sends Ctrl-C to both of us; what it means is for tacho to decide.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => signal !== 'SIGINT' && child.kill(signal));
  return new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ? 1 : code)));
}
