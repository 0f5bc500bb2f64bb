import fs from 'node:fs';
import vm from 'node:vm';
import { expect, test } from 'vitest';

const source = fs.readFileSync(new URL('../bin/tacho', import.meta.url), 'utf8').replace(/^#!.*/, '');

/** The output and the loaded files of the launcher under a version of Node. */
function launch(node: string): { printed: string; loaded: string[]; exitCode: number } {
  const loaded: string[] = [];
  let printed = '';
  const process = {
    versions: { node },
    exitCode: 0,
    stderr: {
      write(text: string) {
        printed += text;
      },
    },
  };
  const require = (name: string) => {
    if (name.startsWith('node:')) return name === 'node:fs' ? { existsSync: () => true } : { join: () => 'entry' };
    loaded.push(name);
  };
  vm.runInNewContext(source, { process, require, __dirname: '/' });
  return { printed, loaded, exitCode: process.exitCode };
}

test.each(['18.20.4', '20.18.3'])('tacho reports that Node.js %s is too old and loads nothing', (node) => {
  const printed = `tacho: requires Node.js 20.19 or later; this is ${node}\n`;
  expect(launch(node)).toEqual({ printed, loaded: [], exitCode: 1 });
});

test.each(['20.19.0', '22.0.0', '26.1.0'])('tacho starts on Node.js %s', (node) => {
  expect(launch(node)).toEqual({ printed: '', loaded: ['entry'], exitCode: 0 });
});
