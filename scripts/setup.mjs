// Sets up a fresh machine with Node and npm: dependencies, system packages for the tests, the build. Uses only Node's
// own modules, since nothing is installed yet. Fast when there is nothing to do.
//
//   node scripts/setup.mjs                       what running tacho needs: dependencies and the build
//   node scripts/setup.mjs --for test            and the programs that the tests need
//   node scripts/setup.mjs --for ci              and those that only test/ci needs
//   node scripts/setup.mjs --only dependencies   enough for unit tests, lint and types
//   node scripts/setup.mjs --only build          with the installed dependencies

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const at = (...names) => path.join(root, ...names);
const option = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : null);
const forCi = option('--for') === 'ci';
const forTests = forCi || option('--for') === 'test';
const only = option('--only');

/** Programs used by the tests, with their Debian packages. */
const TEST_PROGRAMS = {
  strace: 'strace',
  asciinema: 'asciinema',
  busybox: 'busybox-static',
  bwrap: 'bubblewrap',
  'chromium-headless-shell': 'chromium-headless-shell',
  curl: 'curl',
  dialog: 'dialog',
  fish: 'fish',
  git: 'git',
  initdb: 'postgresql',
  jq: 'jq',
  less: 'less',
  openssl: 'openssl',
  podman: 'podman',
  // The whole package: a minimal system has a perl without threads.
  prove: 'perl',
  'redis-server': 'redis-server',
  runc: 'runc',
  script: 'bsdutils',
  scriptreplay: 'bsdutils',
  'ssh-keygen': 'openssh-client',
  sshd: 'openssh-server',
  vi: 'vim-tiny',
  zsh: 'zsh',
};

/** Additional programs for test/ci. */
const CI_PROGRAMS = { nginx: 'nginx-light' };

/** Files that the tests need: a Chinese font for the page. */
const TEST_FILES = { '/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc': 'fonts-wqy-zenhei' };

checkMachine();
withLock(() => {
  if (only !== 'build') installDependencies();
  if (forTests) installPrograms();
  if (only !== 'dependencies') build();
});

function checkMachine() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) fail(`Node 20.19 or later is needed; this is ${process.version}.`);
  if (process.platform !== 'linux') fail(`tacho runs on Linux for now; this is ${process.platform}.`);
}

function installDependencies() {
  const wanted = hashOf(['package-lock.json', 'package.json']);
  const stamp = at('node_modules', '.tacho-setup');
  if (readText(stamp) === wanted) return;
  say('installing dependencies …');
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  run([...npm, 'ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']);
  fs.writeFileSync(stamp, wanted);
}

function installPrograms() {
  const missing = [
    ...new Set(
      [
        ...Object.entries({ ...TEST_PROGRAMS, ...(forCi ? CI_PROGRAMS : {}) }).filter(([name]) => !onPath(name)),
        ...Object.entries(TEST_FILES).filter(([file]) => !fs.existsSync(file)),
      ].map(([, pack]) => pack),
    ),
  ];
  if (missing.length === 0) return;
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...missing];
  if (process.getuid() !== 0 || !onPath('apt-get')) {
    fail(`the tests need these programs; install them with:\n  sudo ${install.join(' ')}`);
  }
  say(`installing ${missing.join(', ')} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  run(['apt-get', 'update', '-qq'], { env });
  run(install, { env });
}

function build() {
  const sources = [
    ...filesBelow('src'),
    ...filesBelow('studio'),
    'package.json',
    'package-lock.json',
    'scripts/build.mjs',
    'scripts/lazy-modules.mjs',
  ];
  const wanted = hashOf(sources);
  if (readText(at('dist', '.stamp')) === wanted) return;
  say('building …');
  // Built next to the old one until complete: after a failed build, or meanwhile, commands find the old one.
  fs.rmSync(at('dist.new'), { recursive: true, force: true });
  run([process.execPath, 'scripts/build.mjs', 'dist.new']);
  fs.writeFileSync(at('dist.new', '.stamp'), wanted);
  if (fs.existsSync(at('dist'))) fs.renameSync(at('dist'), at('dist.old'));
  fs.renameSync(at('dist.new'), at('dist'));
  fs.rmSync(at('dist.old'), { recursive: true, force: true });
}

/** Two first starts at the same time must not install over each other: the second waits for the first. */
function withLock(work) {
  const folder = at('.setup');
  const lock = path.join(folder, 'lock');
  fs.mkdirSync(folder, { recursive: true });
  for (let waited = 0; !takeLock(lock); waited++) {
    if (waited === 0) say('another set-up is running here; waiting for it …');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  try {
    work();
  } finally {
    fs.rmSync(lock, { force: true });
  }
}

function takeLock(lock) {
  try {
    fs.writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const holder = Number(readText(lock));
  if (holder > 0 && !fs.existsSync(`/proc/${holder}`)) fs.rmSync(lock, { force: true });
  return false;
}

function filesBelow(folder) {
  return fs
    .readdirSync(at(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}

function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(file)
      .update('\0')
      .update(fs.readFileSync(at(file)));
  return hash.digest('hex');
}

function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function onPath(name) {
  // Some users do not have system programs, such as sshd, on their PATH; no one has those of PostgreSQL on it.
  const folders = [...`${process.env.PATH}:/usr/sbin`.split(':'), ...postgresFolders()];
  return folders.some((folder) => fs.existsSync(path.join(folder, name)));
}

function postgresFolders() {
  const versions = '/usr/lib/postgresql';
  return fs.existsSync(versions) ? fs.readdirSync(versions).map((version) => path.join(versions, version, 'bin')) : [];
}

function run([command, ...args], options = {}) {
  // Output goes to stderr: stdout belongs to the command that triggered the setup.
  const result = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], ...options });
  if (result.status !== 0) fail(`${command} ${args.join(' ')} failed`, result.status ?? 1);
}

function say(text) {
  process.stderr.write(`set-up: ${text}\n`);
}

function fail(text, code = 1) {
  process.stderr.write(`set-up: ${text}\n`);
  fs.rmSync(at('.setup', 'lock'), { force: true });
  process.exit(code);
}
