import fs from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';

/** Packages with native parts: they are files next to the bundle. */
export const NATIVE_PACKAGES = ['koffi', 'libsql'];

/** The command and everything it imports, as the one CommonJS file that a single executable of Node starts with. */
export async function bundleCommand({ root, out }) {
  const loader = JSON.stringify(path.join(root, 'src/cli/embedded-packages.ts'));
  await build({
    entryPoints: [path.join(root, 'src/cli/single-main.ts')],
    outfile: out,
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    legalComments: 'none',
    // It is read at every start. Names stay, for stack traces.
    minifyWhitespace: true,
    logLevel: 'warning',
    // In a single executable these refer to the executable itself.
    define: { 'import.meta.dirname': '__dirname', 'import.meta.url': '__fileUrl' },
    banner: { js: "const __fileUrl = require('node:url').pathToFileURL(__filename).href;" },
    plugins: [nativePackages(loader), requireInBundle(loader), absentPackages()],
  });
}

/** Replaces `import 'koffi'`: unpacks it on first use, and loads it from there. */
function nativePackages(loader) {
  return {
    name: 'native packages',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^(${NATIVE_PACKAGES.join('|')})$`) }, ({ path: name }) => ({
        path: name,
        namespace: 'native',
      }));
      onLoad({ filter: /./, namespace: 'native' }, ({ path: name }) => ({
        contents: `module.exports = require(${loader}).loadEmbedded(${JSON.stringify(name)});`,
        resolveDir: '/',
      }));
    },
  };
}

/** `createRequire` looks for package folders, which do not exist here: its packages are in the bundle or unpacked. */
function requireInBundle(loader) {
  const created = 'createRequire(import.meta.url)';
  return {
    name: 'require in the bundle',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path: file }) => {
        if (file.includes('node_modules')) return null;
        const text = fs.readFileSync(file, 'utf8');
        if (!text.includes(created)) return null;
        const contents = text
          .replaceAll(`${created}(`, 'require(')
          .replaceAll(created, `require(${loader}).embeddedRequire()`);
        return { contents, loader: 'ts' };
      });
    },
  };
}

/**
 * Some packages try to load optional packages or native files. The `require` of a single executable prints a warning
 * for an unknown name instead of only throwing, so the bundle throws itself.
 */
function absentPackages() {
  return {
    name: 'absent packages',
    setup({ onResolve, onLoad, resolve }) {
      onResolve({ filter: /./ }, async ({ path: name, kind, resolveDir, pluginData }) => {
        if (kind !== 'require-call' || pluginData === 'asked' || isBuiltin(name)) return null;
        const found = await resolve(name, { kind, resolveDir, pluginData: 'asked' });
        const usable = found.errors.length === 0 && !found.path.endsWith('.node');
        return usable ? null : { path: name, namespace: 'absent' };
      });
      onLoad({ filter: /./, namespace: 'absent' }, ({ path: name }) => ({
        contents: `throw Object.assign(new Error('no package ${name}'), { code: 'MODULE_NOT_FOUND' });`,
      }));
    },
  };
}
