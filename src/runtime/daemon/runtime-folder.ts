import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { descriptorPath } from '../../files/index.ts';
import { RUNTIME_FOLDER, TachoError } from '../../protocol/index.ts';
import { holdFolder, makePrivate } from './private-folder.ts';

/** The kernel's limit for the path of a socket. */
const MAX_SOCKET_PATH = 104;
const SOCKET = 'runtime.sock';
const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = fs.constants;

/** The files of a workspace's daemon and its clients. */
export interface RuntimeFolder {
  workspace: string;
  path: string;
  /** In the folder, or in a short private one if that path is too long. */
  socket: string;
  serverFile: string;
  registry: string;
  stdoutLog: string;
  stderrLog: string;
  /** Held by the daemon while it runs. */
  lock: string;
  /** Held by the client that starts the daemon. */
  startLock: string;
}

export function locateRuntime(workspace: string): RuntimeFolder {
  const root = realFolder(workspace);
  const folder = path.join(root, RUNTIME_FOLDER);
  const usual = path.join(folder, SOCKET);
  const socket = Buffer.byteLength(usual) <= MAX_SOCKET_PATH ? usual : shortSocket(folder);
  return { workspace: root, path: folder, socket, ...filesIn(folder) };
}

function filesIn(folder: string) {
  const at = (name: string) => path.join(folder, name);
  return {
    serverFile: at('server.json'),
    registry: at('exec_registry.json'),
    stdoutLog: at('server.stdout.log'),
    stderrLog: at('server.stderr.log'),
    lock: at('server.lock'),
    startLock: at('start.lock'),
  };
}

/**
 * The same folder, held open by a descriptor. Until it is released, its paths lead this process to that folder, even if
 * another user has renamed it or `.tacho` and put something else in its place.
 */
export interface HeldFolder extends RuntimeFolder {
  release(): void;
}

/** Creates the folders; rejects those that other users own or can change. */
export function prepareRuntime(folder: RuntimeFolder): HeldFolder {
  try {
    const held = holdRuntime(folder);
    const place = descriptorPath(held);
    const isShort = path.dirname(folder.socket) !== folder.path;
    if (isShort) makePrivate(path.dirname(folder.socket));
    // It holds the secret, which must not be committed.
    fs.writeFileSync(path.join(place, '.gitignore'), '*\n', { mode: 0o600 });
    return {
      ...folder,
      ...filesIn(place),
      socket: isShort ? folder.socket : path.join(place, SOCKET),
      release: () => fs.closeSync(held),
    };
  } catch (cause) {
    if (cause instanceof TachoError) throw cause;
    throw new TachoError('DATA_FOLDER_UNWRITABLE', `${folder.path} cannot be written: ${(cause as Error).message}`, {
      facts: { path: folder.path },
      cause,
      fix: 'Make the workspace writable, or name another one with --workspace.',
    });
  }
}

function holdRuntime({ workspace, path: folder }: RuntimeFolder): number {
  const root = fs.openSync(workspace, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  let tacho: number | null = null;
  try {
    tacho = holdFolder(descriptorPath(root), path.dirname(folder), 0o755);
    return holdFolder(descriptorPath(tacho), folder, 0o700);
  } finally {
    if (tacho !== null) fs.closeSync(tacho);
    fs.closeSync(root);
  }
}

function shortSocket(folder: string): string {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return path.join(os.tmpdir(), `tacho-runtime-${process.getuid!()}`, `${name}.sock`);
}

function realFolder(workspace: string): string {
  try {
    const root = fs.realpathSync(workspace);
    if (fs.statSync(root).isDirectory()) return root;
  } catch {
    // Reported below.
  }
  throw new TachoError('CWD_NOT_FOUND', `the workspace ${workspace} is not a folder`, { facts: { path: workspace } });
}
