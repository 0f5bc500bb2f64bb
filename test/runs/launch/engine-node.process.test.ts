import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { codex } from '../../../src/engines/codex/profile.ts';
import { chooseNode } from '../../../src/runs/launch/engine-node.ts';
import { requireEngineProgram } from '../../../src/runs/launch/engine-program.ts';
import { installCodex } from '../../support/engine-package.ts';
import { fakeNode } from '../../support/fake-node.ts';
import { temporaryFolder } from '../../support/tacho.ts';

function program(firstLine = '#!/usr/bin/env node'): string {
  const file = path.join(temporaryFolder(), 'engine');
  fs.writeFileSync(file, `${firstLine}\n`, { mode: 0o755 });
  return file;
}

/** A folder for PATH that has a Node of this version. */
function folderWithNode(version: string): string {
  const folder = temporaryFolder();
  fakeNode(folder, version);
  return folder;
}

describe('chooseNode', () => {
  test.each(['>=90', '>= 90.1', '>=90.1.0 <99', '>=v90'])('starts a program as it is if PATH satisfies %s', (range) => {
    const choice = chooseNode({ path: program(), needsNode: range }, folderWithNode('90.1.0'));
    expect(choice).toEqual({ kind: 'own' });
  });

  test.each([
    ['a binary', '\u007fELF'],
    ['a shell script', '#!/bin/sh'],
    ['an empty file', ''],
  ])('does not care for Node with %s', (_, firstLine) => {
    expect(chooseNode({ path: program(firstLine), needsNode: '>=99' }, '')).toEqual({ kind: 'own' });
  });

  test.each([null, '', '*', 'lts'])('starts a program as it is that needs %j', (needsNode) => {
    expect(chooseNode({ path: program(), needsNode }, '')).toEqual({ kind: 'own' });
  });

  test('prefers the Node beside the program to a later one on PATH', () => {
    const script = program();
    const searchPath = [folderWithNode('20.0.0'), folderWithNode('95.0.0')];
    const needing = { path: script, needsNode: '>=90' };
    expect(chooseNode(needing, searchPath.join(':'))).toEqual({ kind: 'other', node: `${searchPath[1]}/node` });
    const beside = fakeNode(path.dirname(script), '90.0.0');
    expect(chooseNode(needing, searchPath.join(':'))).toEqual({ kind: 'other', node: beside });
  });

  test('takes the Node that runs tacho if there is none on PATH', () => {
    const choice = chooseNode({ path: program(), needsNode: '>=18' }, '/nonexistent');
    expect(choice).toEqual({ kind: 'other', node: process.execPath });
  });

  test('says which ones were found if none is new enough', () => {
    const broken = temporaryFolder();
    fs.writeFileSync(path.join(broken, 'node'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const old = folderWithNode('89.9.9');
    expect(chooseNode({ path: program(), needsNode: '>=90.0.1' }, `${broken}:relative:${old}`)).toEqual({
      kind: 'missing',
      minimum: '90.0.1',
      found: [
        `${broken}/node (unusable)`,
        `${old}/node (89.9.9)`,
        `${fs.realpathSync(process.execPath)} (${process.versions.node})`,
      ],
    });
  });
});

describe('requireEngineProgram', () => {
  test('starts an engine that needs a newer Node with the one beside it', () => {
    const { enginesFolder, program } = installCodex({ needsNode: '>=90' });
    const node = fakeNode(path.dirname(program), '90.1.0');
    const searchPath = path.dirname(fakeNode(temporaryFolder(), '20.19.0'));
    expect(requireEngineProgram(codex, { enginesFolder, searchPath })).toMatchObject({
      path: node,
      before: [program],
      managed: true,
      version: '1.2.3',
    });
  });

  test('refuses an engine if no Node is new enough, with the fix', () => {
    const { enginesFolder } = installCodex({ needsNode: '>=90.5' });
    const old = fakeNode(temporaryFolder(), '90.4.9');
    const searchPath = path.dirname(old);
    expect(() => requireEngineProgram(codex, { enginesFolder, searchPath })).toThrow(
      expect.objectContaining({
        code: 'ENGINE_UNSUPPORTED',
        message: expect.stringContaining(`Codex CLI 1.2.3 needs Node 90.5 or later; found: ${old} (90.4.9)`),
        facts: { engine: 'codex', version: '1.2.3', needs_node: '>=90.5' },
        fix: 'Install it with a Node of its own: tacho engines install codex. Or put Node 90.5 or later on PATH.',
      }),
    );
  });
});
