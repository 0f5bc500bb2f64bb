import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { codex } from '../../../src/engines/codex/profile.ts';
import { iflow } from '../../../src/engines/iflow/profile.ts';
import type { EngineProfile } from '../../../src/engines/index.ts';
import {
  findEngineProgram,
  installFolder,
  isTested,
  requireEngineProgram,
} from '../../../src/runs/launch/engine-program.ts';
import { installCodex, installPackage, place } from '../../support/engine-package.ts';
import { temporaryFolder } from '../../support/tacho.ts';

function places() {
  const root = temporaryFolder();
  const enginesFolder = path.join(root, 'engines');
  const onPath = path.join(root, 'bin');
  const searchPath = `/nonexistent::${onPath}:/usr/bin`;
  const own = () =>
    installPackage(installFolder(enginesFolder, codex), { name: '@o/codex', version: '1.2.3' }, 'codex');
  return { root, onPath, places: { enginesFolder, searchPath }, own };
}

describe('findEngineProgram', () => {
  test('finds tacho’s own installation before one on PATH, with the version of its package', () => {
    const { onPath, places: where, own } = places();
    place(path.join(onPath, 'codex'), '#!/bin/sh\n', 0o755);
    expect(findEngineProgram(codex, where)).toMatchObject({ path: path.join(onPath, 'codex'), managed: false });
    const program = own();
    expect(findEngineProgram(codex, where)).toEqual({
      path: program,
      before: [],
      managed: true,
      package: '@o/codex',
      version: '1.2.3',
      needsNode: null,
    });
  });

  test('finds the name and version of a package installed by the user', () => {
    const { root, onPath, places: where } = places();
    const link = installPackage(path.join(root, 'lib'), { name: 'codex', version: '9.9.9' }, 'codex');
    fs.mkdirSync(onPath);
    fs.symlinkSync(link, path.join(onPath, 'codex'));
    expect(findEngineProgram(codex, where)).toEqual({
      path: path.join(onPath, 'codex'),
      before: [],
      managed: false,
      package: 'codex',
      version: '9.9.9',
      needsNode: null,
    });
  });

  test('reports no version for a program outside of a package', () => {
    const { onPath, places: where } = places();
    place(path.join(onPath, 'codex'), '#!/bin/sh\n', 0o755);
    expect(findEngineProgram(codex, where)?.version).toBeNull();
  });

  test('skips folders, files that are not executable, and dangling links', () => {
    const { root, places: where } = places();
    fs.mkdirSync(path.join(root, 'one/codex'), { recursive: true });
    place(path.join(root, 'two/codex'), '#!/bin/sh\n', 0o644);
    fs.mkdirSync(path.join(root, 'three'));
    fs.symlinkSync('/nonexistent', path.join(root, 'three/codex'));
    const last = place(path.join(root, 'four/codex'), '#!/bin/sh\n', 0o755);
    const searchPath = ['one', 'two', 'three', 'four'].map((name) => path.join(root, name)).join(':');
    expect(findEngineProgram(codex, { ...where, searchPath })?.path).toBe(last);
  });

  test('returns an absolute path, also for a relative folder on PATH', () => {
    const { root, places: where } = places();
    const program = place(path.join(root, 'tools/codex'), '#!/bin/sh\n', 0o755);
    const searchPath = path.relative(process.cwd(), path.dirname(program));
    expect(findEngineProgram(codex, { ...where, searchPath })?.path).toBe(program);
  });

  test('finds nothing if the program is not installed', () => {
    const { places: where } = places();
    expect(findEngineProgram(codex, where)).toBeNull();
    expect(findEngineProgram(codex, { ...where, searchPath: '' })).toBeNull();
  });
});

describe('requireEngineProgram', () => {
  test('says how to install a missing engine', () => {
    const error = catchError(() => requireEngineProgram(codex, places().places));
    expect(error).toMatchObject({ code: 'ENGINE_NOT_INSTALLED', facts: { engine: 'codex', command: 'codex' } });
    const { install } = codex as { install: NonNullable<EngineProfile['install']> };
    expect(error.fix).toContain('tacho engines install codex');
    expect(error.fix).toContain(`${install.package} ${install.version}`);
  });

  test('says that iflow can no longer be installed, and what still works', () => {
    const error = catchError(() => requireEngineProgram(iflow, places().places));
    expect(error).toMatchObject({ code: 'ENGINE_NOT_INSTALLED', facts: { engine: 'iflow' } });
    expect(error.fix).not.toContain('engines install');
    expect(error.fix).toContain('tacho import');
  });

  test('refuses a version that cannot be run, with the reason and the fix', () => {
    const { enginesFolder } = installCodex({});
    const places = { enginesFolder, searchPath: process.env.PATH! };
    const unsupported = (before: string): EngineProfile => ({
      ...codex,
      older: [{ before, unsupported: 'has no output that tacho can read' }],
    });
    expect(requireEngineProgram(unsupported('1.2.3'), places).version).toBe('1.2.3');
    expect(catchError(() => requireEngineProgram(unsupported('1.3.0'), places))).toMatchObject({
      code: 'ENGINE_UNSUPPORTED',
      message: 'Codex CLI 1.2.3 has no output that tacho can read',
      fix: expect.stringContaining('tacho engines install codex'),
    });
  });
});

test('a version counts as tested if the profile lists it or if it is unknown', () => {
  expect(isTested(codex, codex.testedVersions[0]!)).toBe(true);
  expect(isTested(codex, null)).toBe(true);
  expect(isTested(codex, '0.0.1')).toBe(false);
});

function catchError(work: () => unknown): { code: string; fix: string } {
  try {
    work();
  } catch (error) {
    return error as { code: string; fix: string };
  }
  throw new Error('nothing was thrown');
}
