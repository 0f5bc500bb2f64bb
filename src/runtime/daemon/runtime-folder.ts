import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { TachoError } from '../../protocol/index.ts';

/** The kernel takes no longer address for a socket. */
const LONGEST_SOCKET = 104;

/** Where the daemon of a workspace keeps what it and its clients need. */
export interface RuntimeFolder {
  workspace: string;
  path: string;
  /** In the folder, or in a private short one where that is too long. */
  socket: string;
  serverFile: string;
  registry: string;
  stdoutLog: string;
  stderrLog: string;
  /** Held by the daemon while it lives. */
  lock: string;
  /** Held by the client that starts it. */
  startLock: string;
}

export function locateRuntime(workspace: string): RuntimeFolder {
  const root = realFolder(workspace);
  const folder = path.join(root, '.tacho', 'runtime');
  const at = (name: string) => path.join(folder, name);
  return {
    workspace: root,
    path: folder,
    socket: socketPath(folder),
    serverFile: at('server.json'),
    registry: at('exec_registry.json'),
    stdoutLog: at('server.stdout.log'),
    stderrLog: at('server.stderr.log'),
    lock: at('server.lock'),
    startLock: at('start.lock'),
  };
}

/** Makes the folders, or refuses those that others can enter. */
export function prepareRuntime(folder: RuntimeFolder): void {
  try {
    makeFolder(path.dirname(folder.path), 0o755);
    for (const own of new Set([folder.path, path.dirname(folder.socket)])) makePrivate(own);
    // The secret is in it: no commit may take it along.
    fs.writeFileSync(path.join(folder.path, '.gitignore'), '*\n', { mode: 0o600 });
  } catch (cause) {
    if (cause instanceof TachoError) throw cause;
    throw new TachoError('DATA_FOLDER_UNWRITABLE', `${folder.path} cannot be written: ${(cause as Error).message}`, {
      facts: { path: folder.path },
      cause,
      fix: 'Make the workspace writable, or name another one with --workspace.',
    });
  }
}

/** Refuses what another user could have put there. */
export function refuseForeign(file: string): void {
  const { uid } = fs.lstatSync(file);
  if (uid === process.getuid!()) return;
  throw new TachoError('AUTH_FAILED', `${file} belongs to another user`, {
    facts: { path: file, uid },
    fix: 'Remove it, or work in a workspace of your own.',
  });
}

/** One level: Node's own recursive mkdir never returns where the kernel refuses to make a folder, as in /proc. */
function makeFolder(folder: string, mode: number): void {
  try {
    fs.mkdirSync(folder, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** One that nobody else can enter; what others could have put there is refused. */
export function makePrivate(folder: string): void {
  makeFolder(folder, 0o700);
  refuseForeign(folder);
  const stat = fs.lstatSync(folder);
  if (!stat.isDirectory()) throw new TachoError('AUTH_FAILED', `${folder} is no folder`, { facts: { path: folder } });
  if ((stat.mode & 0o077) !== 0) fs.chmodSync(folder, 0o700);
}

function socketPath(folder: string): string {
  const usual = path.join(folder, 'runtime.sock');
  if (Buffer.byteLength(usual) <= LONGEST_SOCKET) return usual;
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return path.join(os.tmpdir(), `tacho-runtime-${process.getuid!()}`, `${name}.sock`);
}

function realFolder(workspace: string): string {
  try {
    const root = fs.realpathSync(workspace);
    if (fs.statSync(root).isDirectory()) return root;
  } catch {
    // Said below.
  }
  throw new TachoError('CWD_NOT_FOUND', `the workspace ${workspace} is no folder`, { facts: { path: workspace } });
}
