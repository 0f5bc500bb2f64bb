// Forks a run and kills itself at the given call of a function that changes files; without a number, prints how many there are.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Agent } from '../../../../src/agent/agent.ts';
import { forkRun } from '../../../../src/agent/fork/fork-run.ts';
import { scriptedModel } from '../../../../src/agent/models/scripted-model.ts';

const [workspaceRoot, runId, at, into, killAt] = process.argv.slice(2) as [string, string, string, string, string?];
const agent = new Agent({ workspaceRoot: workspaceRoot!, model: scriptedModel([]) });
let calls = 0;

function count(): void {
  calls++;
  if (calls === Number(killAt)) process.kill(process.pid, 'SIGKILL');
}

function counted<T extends object>(target: T, name: keyof T & string): void {
  const original = target[name] as (...args: unknown[]) => unknown;
  Object.assign(target, {
    [name]: (...args: unknown[]) => {
      count();
      return original.apply(target, args);
    },
  });
}

for (const name of [
  'mkdirSync',
  'writeSync',
  'renameSync',
  'symlinkSync',
  'chmodSync',
  'linkSync',
  'rmSync',
  'fdatasync',
] as const) {
  counted(fs, name);
}
counted(fs.promises, 'copyFile');
syncBuiltinESMExports();

const fork = await forkRun(agent.options, runId!, { at: Number(at), into: into!, runId: 'the-fork' });
console.log(JSON.stringify({ calls, restored: fork.restored }));
