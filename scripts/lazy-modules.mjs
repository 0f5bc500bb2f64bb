import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import * as zod from 'zod';

const NAMELESS = /^export \* from/m;
const SOURCE = /[\\/]src[\\/].*\.ts$/;
const IMPORTS_ZOD = /^import \* as z from 'zod';$/m;
/** Its ES modules: `require` would find a different copy. */
const ZOD = fileURLToPath(import.meta.resolve('zod'));
const ROOT = path.dirname(import.meta.dirname);
const INSIDE_ZOD = /[\\/]node_modules[\\/]zod[\\/]/;

/**
 * An esbuild plugin: three kinds of modules are evaluated on the first use of an export instead of on import: those
 * that import zod, zod itself, and those imported by the index.ts of a folder. Building every schema takes 40 ms, and
 * `tacho run` needs none of them, nor most other exports of the folders. Instead of the module an importer gets an
 * object with one getter per export. The first use of any export evaluates the whole file, so code of a hot command
 * belongs in a file without schemas.
 */
export function lazyModules() {
  return {
    name: 'lazy modules',
    setup({ onResolve, onLoad, resolve }) {
      onResolve({ filter: /^(zod|\..*\.ts)$/ }, ({ path: name, importer, resolveDir, kind }) => {
        // import() is already lazy.
        if (kind !== 'import-statement' || !SOURCE.test(importer)) return null;
        const file = name === 'zod' ? importer : path.join(resolveDir, name);
        const importsZod = IMPORTS_ZOD.test(fs.readFileSync(file, 'utf8'));
        // The path is part of the bundle, which must not depend on the location of the build.
        const lazy = { path: path.relative(ROOT, file), namespace: 'lazy' };
        if (name !== 'zod') return importsZod || isPublicFor(importer) ? lazy : null;
        if (!importsZod) return { errors: [{ text: "write: import * as z from 'zod'; (scripts/lazy-modules.mjs)" }] };
        return { path: 'zod', namespace: 'lazy' };
      });
      onLoad({ filter: /./, namespace: 'lazy' }, async ({ path: name }) => {
        const file = path.join(ROOT, name);
        const contents = name === 'zod' ? deferred(ZOD, Object.keys(zod)) : deferred(file, await exportsOf(file));
        return { contents, resolveDir: import.meta.dirname };
      });
      // zod declares its files free of side effects. esbuild then also omits the evaluation of a lazy one, where a
      // package such as fastify-type-provider-zod imports it.
      onResolve({ filter: /^zod(\/|$)|^\./ }, async ({ path: name, pluginData, ...from }) => {
        if (pluginData === 'resolved' || (name.startsWith('.') && !INSIDE_ZOD.test(from.importer))) return null;
        return { ...(await resolve(name, { ...from, pluginData: 'resolved' })), sideEffects: true };
      });
      // Messages in other languages, 600 kB.
      onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: 'export {};' }));
    },
  };
}

/** The public exports of a folder; with `export *` its index would not know the names before it evaluates the files. */
function isPublicFor(importer) {
  return path.basename(importer) === 'index.ts' && !NAMELESS.test(fs.readFileSync(importer, 'utf8'));
}

/** CommonJS, so that esbuild does not evaluate the module until `require` is called. */
function deferred(file, names) {
  const getters = names.map((name) => `get ${name}() { return load().${name}; }`);
  return `let loaded; const load = () => (loaded ??= require(${JSON.stringify(file)}));
module.exports = { ${getters.join(', ')} };`;
}

/** The exported names without types. */
async function exportsOf(file) {
  const { metafile } = await build({ entryPoints: [file], format: 'esm', write: false, metafile: true, outdir: '.' });
  return Object.values(metafile.outputs)[0].exports;
}
