// `npm run dev`: rebuilds on every change of a source, so that bin/tacho is always current, and serves the Studio from
// its sources, with reload on change. The Studio talks to the server at TACHO_URL (default: http://127.0.0.1:7433).

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createServer } from 'vite';

const root = path.dirname(import.meta.dirname);
const target = process.env.TACHO_URL ?? 'http://127.0.0.1:7433';
let building = false;
let changed = false;

build();
for (const folder of ['src', 'studio']) fs.watch(path.join(root, folder), { recursive: true }, () => build());

const studio = await createServer({
  configFile: path.join(root, 'studio', 'vite.config.ts'),
  // The server rejects pages of other origins; this one is the developer's own.
  server: {
    proxy: {
      '/v1': {
        target,
        changeOrigin: true,
        configure: (proxy) => proxy.on('proxyReq', (request) => request.removeHeader('origin')),
      },
    },
  },
});
await studio.listen();
studio.printUrls();
process.stdout.write(`  API from ${target}: start it with bin/tacho start; append #token=<token> to the address\n`);

/** One build at a time; later changes are built next. */
function build() {
  changed = true;
  if (building) return;
  building = true;
  // An editor writes several files at once.
  setTimeout(() => {
    changed = false;
    const setup = spawn(process.execPath, ['scripts/setup.mjs', '--only', 'build'], { cwd: root, stdio: 'inherit' });
    setup.once('exit', (code) => {
      building = false;
      process.stdout.write(
        code === 0 ? 'dev: the build is current\n' : 'dev: the build failed; its messages are above\n',
      );
      if (changed) build();
    });
  }, 50);
}
