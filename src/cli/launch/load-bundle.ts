import { isAscii } from 'node:buffer';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';
import { CodeCache, codeCacheFolder } from './code-cache.ts';

/**
 * Loads a CommonJS file as `require` does, with what V8 compiled of it the last time. Node can do this itself from 22.1
 * on (`module.enableCompileCache`), and not for Node 20.
 */
export function loadBundle(file: string, use: string): unknown {
  const bytes = fs.readFileSync(file);
  const text = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
  const source = `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
  const cache = CodeCache.open(codeCacheFolder(process.env), bytes, use);
  const cachedData = cache?.read();
  const script = new vm.Script(source, { filename: file, ...(cachedData ? { cachedData } : {}) });
  // At the end, so that it has the functions that were called.
  if (cache && !cachedData) process.once('exit', () => cache.write(() => script.createCachedData()));
  const module = { exports: {} };
  const wrapper = script.runInThisContext() as (...parts: unknown[]) => void;
  wrapper.call(module.exports, module.exports, createRequire(file), module, file, path.dirname(file));
  return module.exports;
}
