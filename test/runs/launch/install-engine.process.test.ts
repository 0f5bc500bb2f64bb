import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { codex } from '../../../src/engines/codex/profile.ts';
import { iflow } from '../../../src/engines/iflow/profile.ts';
import type { EngineProfile } from '../../../src/engines/index.ts';
import { installEngine } from '../../../src/runs/launch/install-engine.ts';
import { fakeNode } from '../../support/fake-node.ts';
import { projectRoot, temporaryFolder } from '../../support/tacho.ts';

/** A folder for engines, and a PATH with an npm that installs packages without a network. */
function place() {
  const root = temporaryFolder();
  const bin = path.join(root, 'bin');
  fs.mkdirSync(bin);
  const npm = path.join(projectRoot, 'test/agents/fake-npm.mjs');
  fs.writeFileSync(path.join(bin, 'npm'), `#!/bin/sh\nexec '${process.execPath}' '${npm}' "$@"\n`, { mode: 0o755 });
  fakeNode(bin, '20.0.0');
  vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`);
  const said: string[] = [];
  const places = { enginesFolder: path.join(root, 'engines'), searchPath: bin };
  const install = (profile: EngineProfile) => installEngine(profile, places, { say: (text) => void said.push(text) });
  const folder = path.join(places.enginesFolder, 'codex');
  const packages = () => JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).dependencies as unknown;
  return { install, said, folder, packages, enginesFolder: places.enginesFolder };
}

/** The version tells the fake npm which Node the package needs: `1.0.90` needs Node 90. */
const wanting = (version: string, name = 'fake-codex'): EngineProfile => ({
  ...codex,
  install: { package: name, version },
});

describe('installEngine', () => {
  test('installs the version of the profile, once', async () => {
    const { install, said, folder, enginesFolder } = place();
    const program = path.join(folder, 'node_modules/.bin/codex');
    expect(await install(wanting('1.0.18'))).toEqual({ path: program, version: '1.0.18', installed: true });
    expect(await install(wanting('1.0.18'))).toEqual({ path: program, version: '1.0.18', installed: false });
    expect(said).toEqual(['installing fake-codex@1.0.18 …']);
    expect(fs.readdirSync(enginesFolder)).toEqual(['codex']);
  });

  test('replaces another version, and the same version of another package', async () => {
    const { install, packages } = place();
    await install(wanting('1.0.18'));
    expect(await install(wanting('1.1.18'))).toMatchObject({ version: '1.1.18', installed: true });
    expect(await install(wanting('1.1.18', 'renamed-codex'))).toMatchObject({ installed: true });
    expect(packages()).toEqual({ 'renamed-codex': '1.1.18' });
  });

  test('adds a Node for an engine that needs a newer one than there is, and says so', async () => {
    const { install, said, folder, packages } = place();
    await install(wanting('1.0.90'));
    expect(packages()).toEqual({ 'fake-codex': '1.0.90', node: '^90.0.0' });
    expect(fs.existsSync(path.join(folder, 'node_modules/.bin/node'))).toBe(true);
    expect(said).toEqual([
      'installing fake-codex@1.0.90 …',
      'Codex CLI needs Node 90.0.0 or later: it gets one of its own.',
      'installing fake-codex@1.0.90 node@^90.0.0 …',
    ]);
    expect(await install(wanting('1.0.90'))).toMatchObject({ installed: false });
  });

  test('repairs an installation whose Node is missing', async () => {
    const { install, folder } = place();
    await install(wanting('1.0.90'));
    fs.rmSync(path.join(folder, 'node_modules/.bin/node'));
    expect(await install(wanting('1.0.90'))).toMatchObject({ installed: true });
    expect(fs.existsSync(path.join(folder, 'node_modules/.bin/node'))).toBe(true);
  });

  test('keeps the earlier installation if the new package has no such program', async () => {
    const { install, folder, enginesFolder } = place();
    await install(wanting('1.0.18'));
    await expect(install(wanting('1.1.18', 'empty-package'))).rejects.toMatchObject({
      code: 'ENGINE_INSTALL_FAILED',
      message: 'empty-package@1.1.18 has no program "codex"',
    });
    expect(fs.existsSync(path.join(folder, 'node_modules/.bin/codex'))).toBe(true);
    expect(fs.readdirSync(enginesFolder)).toEqual(['codex']);
  });

  test('follows a package that links its program by an absolute path', async () => {
    const { install, folder } = place();
    const { path: program } = await install(wanting('1.0.18', 'linked-codex'));
    expect(fs.realpathSync(program)).toBe(fs.realpathSync(path.join(folder, 'node_modules/linked-codex/real')));
    expect(await install(wanting('1.0.18', 'linked-codex'))).toMatchObject({ installed: false });
  });

  test('refuses an engine that has no package', async () => {
    await expect(place().install(iflow)).rejects.toMatchObject({ code: 'ENGINE_INSTALL_FAILED' });
  });
});
