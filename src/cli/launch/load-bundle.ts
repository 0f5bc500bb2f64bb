import { isAscii } from 'node:buffer';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';
import { withDefaultYoungSpace } from '../service/young-space.ts';
import type { Launch } from './bundles.ts';
import { CodeCache, codeCacheFolder } from './code-cache.ts';

/** A server has started by then. Later V8 may have dropped the code of functions used only at the start. */
const STARTED_MS = 3000;

/**
 * Loads a CommonJS file like `require`, with the code that V8 compiled last time. Node has this built in since 22.1
 * (`module.enableCompileCache`), but not in Node 20.
 */
export function loadBundle(folder: string, launch: Launch): unknown {
  const file = path.join(folder, `${launch.bundle}.cjs`);
  const bytes = fs.readFileSync(file);
  const text = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
  const source = `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
  const cache = CodeCache.open(codeCacheFolder(process.env), bytes, launch.use);
  const cachedData = cache?.read();
  const script = new vm.Script(source, { filename: file, ...(cachedData ? { cachedData } : {}) });
  if (cache && !cachedData) keep(script, cache, launch);
  const module = { exports: {} };
  const wrapper = script.runInThisContext() as (...parts: unknown[]) => void;
  wrapper.call(module.exports, module.exports, createRequire(file), module, file, folder);
  return module.exports;
}

/** Written at exit, to include the functions that were called; a server may never exit normally. */
function keep(script: vm.Script, cache: CodeCache, { use, serves }: Launch): void {
  const compiled = () => script.createCachedData();
  const write = () => cache.write(use === 'start' ? () => withDefaultYoungSpace(compiled) : compiled);
  process.once('exit', write);
  if (!serves) return;
  setTimeout(() => {
    process.off('exit', write);
    write();
  }, STARTED_MS).unref();
}
