import { isInside } from './path-inside.ts';
import type { Look, Mount } from './plan.ts';

/** Programs and their libraries. */
const PROGRAMS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];
/** Files of /etc that programs need for libraries, names, hosts, certificates and time; none is secret. */
const SETTINGS = [
  'alternatives',
  'ca-certificates',
  'group',
  'host.conf',
  'hosts',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'nsswitch.conf',
  'os-release',
  'passwd',
  'pki/tls/certs',
  'pki/ca-trust',
  'protocols',
  'resolv.conf',
  'services',
  'ssl/certs',
  'ssl/openssl.cnf',
  'timezone',
].map((name) => `/etc/${name}`);

/** The parts of the system that every restricted sandbox shows, if they exist here. */
export function addSystem(mounts: Map<string, Mount>, look: Look): void {
  for (const path of [...PROGRAMS, ...SETTINGS]) {
    const seen = look(path);
    if (!seen) continue;
    // A link in the root folder stays a link; otherwise programs would appear twice.
    if (seen.link !== null && PROGRAMS.includes(path)) mounts.set(path, { path, shows: 'link', target: seen.link });
    else mounts.set(path, { path, shows: 'host', source: seen.real, writable: false });
  }
}

/** An empty temporary folder and an empty home; a home in the workspace is not replaced. */
export function addOwnFolders(
  mounts: Map<string, Mount>,
  look: Look,
  { home, workspace }: { home: string | undefined; workspace: string },
): void {
  mounts.set('/tmp', { path: '/tmp', shows: 'empty', writable: true });
  const own = home === undefined ? null : look(home);
  if (own?.folder && own.real !== '/' && !isInside(own.real, workspace)) {
    mounts.set(own.real, { path: own.real, shows: 'empty', writable: true });
  }
}
