import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { ensureServer, findServer, type RuntimeClient } from '../../../src/runtime/index.ts';
import { type PodmanContainer, startContainer } from '../../runtime/targets/podman-container.ts';
import { type SshServer, startSshServer } from '../../runtime/targets/ssh-server.ts';
import { removeFolder } from '../../support/tacho.ts';
import { trustFolder } from '../../support/trust.ts';
import { command, daemonOf } from './daemon.ts';
import { buildSingleFile, singleFile } from './single-file.ts';

/** Real machines for the tests of a file. */
export interface Places {
  folder: string;
  ssh: SshServer;
  /** Only with `container: true`. */
  container: PodmanContainer;
  /** The workspace on `ssh:build-1`, where tacho is installed. `container:box-1` has no tacho, and uses `/work`. */
  far: string;
  /** The `tacho` on the PATH of a machine where it is installed. */
  program: string;
  /** The workspace of the daemon that all tests of the file share. */
  workspace: string;
  client: RuntimeClient;
  /** A client of a separate daemon for one test, optionally with more targets. */
  here(more?: MoreTargets): RuntimeClient;
}

interface MoreTargets {
  ssh?: object;
  container?: object;
  /** The executable to copy to a machine without tacho. */
  single_file?: string;
}

/** A container needs the single-file executable, which is slow to build: only for tests that request it. */
export function withPlaces({ container: wantsContainer = false } = {}): Places {
  const places = {} as Places;
  const revoke: (() => void)[] = [];
  beforeAll(async () => {
    const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-targets-')));
    const [far, workspace] = ['far', 'here'].map((name) => path.join(folder, name)) as [string, string];
    for (const made of [far, workspace]) fs.mkdirSync(made);
    const program = path.join(folder, 'tacho');
    fs.writeFileSync(program, `#!/bin/sh\nexec ${command.map((word) => `'${word}'`).join(' ')} "$@"\n`, {
      mode: 0o755,
    });
    const [ssh, container] = await Promise.all([
      startSshServer(),
      wantsContainer ? buildSingleFile().then(startContainer) : undefined,
    ]);
    const configure = (root: string, more: MoreTargets = {}) => {
      const targets = {
        single_file: more.single_file ?? singleFile,
        ssh: { 'build-1': { ...ssh.settings, program, workspace: far }, ...more.ssh },
        container: {
          ...(container && { 'box-1': { ...container.settings, program: 'tacho-not-there', workspace: '/work' } }),
          ...more.container,
        },
      };
      fs.mkdirSync(path.join(root, 'config'));
      fs.writeFileSync(path.join(root, 'config', 'tacho.yaml'), JSON.stringify({ targets }));
      revoke.push(trustFolder(root));
    };
    configure(workspace);
    const client = ensureServer({ workspace, command, environment: process.env, idleMs: 60_000 });
    const here = (more?: MoreTargets) => {
      const daemon = daemonOf();
      configure(daemon.workspace, more);
      return daemon.client();
    };
    Object.assign(places, { folder, ssh, container, far, program, workspace, client, here });
  }, 240_000);
  afterAll(async () => {
    const { client, folder, far, ssh, container } = places;
    await client?.call('runtime.shutdown', {});
    client?.close();
    if (far) await stopDaemon(far);
    await Promise.all([ssh?.stop(), container?.stop()]);
    for (const end of revoke) end();
    if (folder) removeFolder(folder);
  }, 240_000);
  return places;
}

export async function stopDaemon(workspace: string): Promise<void> {
  const client = await findServer(workspace);
  await client?.call('runtime.shutdown', {});
  client?.close();
}
