// Adds optional packages of other platforms to package-lock.json if a registry mirror lacked them when the lock was
// made. `npm ci` rejects a lock without them, although it would never install them here.
//
//   npm install --package-lock-only && npm run lock

import fs from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(fs.readFileSync(file, 'utf8'));

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

let added = 0;
for (const [path, owner] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(owner.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    if (path === '' || lock.packages[place]) continue;
    const words = name.split('/').pop().split('-');
    const system = SYSTEMS.find((word) => words.includes(word));
    const processor = PROCESSORS.find((word) => words.includes(word)) ?? (words.includes('wasm32') ? 'wasm32' : null);
    if (!system && !processor) throw new Error(`cannot tell the platform of ${name}`);
    // It may be installed, so its hash must be in the lock: choose a version whose packages are all available.
    if (system === 'linux') throw new Error(`the registry does not have ${name}@${version}`);
    lock.packages[place] = {
      version,
      ...(processor ? { cpu: [processor] } : {}),
      ...(owner.dev ? { dev: true } : {}),
      optional: true,
      ...(system ? { os: [system] } : {}),
    };
    added++;
  }
}
const root = lock.packages[''];
const rest = Object.entries(lock.packages)
  .filter(([path]) => path !== '')
  .sort(([one], [other]) => one.localeCompare(other, 'en'));
lock.packages = { '': root, ...Object.fromEntries(rest) };
fs.writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} packages of other platforms added`);
