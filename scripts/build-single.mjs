// Builds one executable of all of tacho, for machines without Node: Node itself, the command, the Studio, and the
// native packages of this platform. See docs/single-file.md.
//
//   node scripts/build-single.mjs [file]      default: build/tacho

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleCommand, NATIVE_PACKAGES } from './single/bundle.mjs';
import { filesBelow, hashOf } from './single/files.mjs';
import { nativeFiles } from './single/native-files.mjs';

/** Node looks for the resource in itself, but only if the fuse is set. */
const RESOURCE = 'NODE_SEA_BLOB';
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const root = path.resolve(import.meta.dirname, '..');
const page = path.join(root, 'dist', 'studio');
const texts = path.join(root, 'dist', 'texts');
const out = path.resolve(process.argv[2] ?? path.join(root, 'build', 'tacho'));

if (!fs.existsSync(path.join(page, 'index.html'))) fail('the Studio is not built; run: npm run setup');
const stamp = `${out}.stamp`;
const wanted = inputsHash();
if (fs.existsSync(out) && fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) {
  report('unchanged');
  process.exit(0);
}

fs.mkdirSync(path.dirname(out), { recursive: true });
const work = fs.mkdtempSync(`${out}.`);
try {
  await makeExecutable(work);
  fs.renameSync(path.join(work, 'tacho'), out);
  fs.writeFileSync(stamp, wanted);
} finally {
  fs.rmSync(work, { recursive: true, force: true });
}
report('built');

function report(how) {
  const megabytes = (fs.statSync(out).size / 1e6).toFixed(1);
  process.stdout.write(`${how}: ${path.relative(process.cwd(), out)} (${megabytes} MB)\n`);
}

async function makeExecutable(folder) {
  const at = (name) => path.join(folder, name);
  await bundleCommand({ root, out: at('main.cjs') });
  const assets = collectAssets(at('list.json'));
  const config = {
    main: at('main.cjs'),
    output: at('blob'),
    assets,
    disableExperimentalSEAWarning: true,
    // Otherwise parsing three megabytes of code takes 50 ms at every start.
    useCodeCache: true,
  };
  fs.writeFileSync(at('sea.json'), JSON.stringify(config));
  runNode('--experimental-sea-config', at('sea.json'));
  fs.copyFileSync(process.execPath, at('tacho'));
  fs.chmodSync(at('tacho'), 0o755);
  // Debug symbols are an eighth of Node. Without `strip` they stay.
  spawnSync('strip', [at('tacho')], { stdio: 'ignore' });
  const postject = fileURLToPath(import.meta.resolve('postject/dist/cli.js'));
  runNode(postject, at('tacho'), RESOURCE, at('blob'), '--sentinel-fuse', FUSE);
}

/** Its output matters only when it fails. */
function runNode(...words) {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${words.join(' ')} failed:\n${stdout}${stderr}`);
}

/** The embedded files, by their names in `src/config/embedded-files.ts`. */
function collectAssets(list) {
  const packages = nativeFiles(root, NATIVE_PACKAGES);
  const pageFiles = filesBelow(page);
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  fs.writeFileSync(
    list,
    JSON.stringify({
      version,
      packages: packages.map((name) => ({ path: name, bytes: fs.statSync(path.join(root, name)).size })),
      packages_hash: hashOf(root, packages).slice(0, 32),
      page: pageFiles,
    }),
  );
  return {
    'list.json': list,
    ...Object.fromEntries(packages.map((name) => [`packages/${name}`, path.join(root, name)])),
    ...Object.fromEntries(pageFiles.map((name) => [`page/${name}`, path.join(page, name)])),
    ...Object.fromEntries(filesBelow(texts).map((name) => [`texts/${name}`, path.join(texts, name)])),
  };
}

/** All inputs of the result; packages through the lock file. */
function inputsHash() {
  const below = (folder) => filesBelow(path.join(root, folder)).map((file) => path.join(folder, file));
  const sources = [...below('src'), ...below('studio'), ...below('scripts/single'), ...below('dist/studio')];
  return `${process.version} ${hashOf(root, [...sources, 'scripts/build-single.mjs', 'package-lock.json'])}`;
}

function fail(text) {
  process.stderr.write(`build:single: ${text}\n`);
  process.exit(1);
}
