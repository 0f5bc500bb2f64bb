import { isAscii } from 'node:buffer';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';
import { withDefaultYoungSpace } from '../service/young-space.ts';
import type { Launch } from './bundles.ts';
import { CodeCache, codeCacheFolder } from './code-cache.ts';

/** By then a server has started. Later V8 may have dropped the code of functions that it called only then. */
const STARTED_MS = 3000;

/**
 * Loads a CommonJS file as `require` does, with what V8 compiled of it the last time. Node can do this itself from 22.1
 * on (`module.enableCompileCache`), and not for Node 20.
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

/** At the end, so that it has the functions that were called; a server may never come to its end. */
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
