import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveCommand } from '../../../src/runs/launch/resolve-command.ts';
import { temporaryFolder } from '../../support/tacho.ts';

function folders() {
  const root = temporaryFolder();
  const put = (name: string, mode: number) => {
    const file = path.join(root, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, '#!/bin/sh\n');
    fs.chmodSync(file, mode);
    return file;
  };
  return { root, put, searchPath: `${root}/first::${root}/second` };
}

describe('resolveCommand', () => {
  test('takes the first program on PATH that can be executed', () => {
    const { put, root, searchPath } = folders();
    put('first/tool', 0o644);
    const second = put('second/tool', 0o755);
    expect(resolveCommand('tool', root, searchPath)).toBe(second);
    const first = put('first/other', 0o755);
    put('second/other', 0o755);
    expect(resolveCommand('other', root, searchPath)).toBe(first);
  });

  test('does not search the working folder, and does not take a folder for a program', () => {
    const { put, root, searchPath } = folders();
    put('here', 0o755);
    fs.mkdirSync(path.join(root, 'first/folder'), { recursive: true });
    for (const name of ['here', 'folder', 'missing']) {
      expect(() => resolveCommand(name, root, searchPath)).toThrow(
        expect.objectContaining({ code: 'COMMAND_NOT_FOUND' }),
      );
    }
  });

  test('resolves a path relative to the working folder', () => {
    const { put, root } = folders();
    const file = put('sub/tool', 0o755);
    expect(resolveCommand('./sub/tool', root, '')).toBe(file);
    expect(resolveCommand('sub/tool', root, '')).toBe(file);
    expect(resolveCommand(file, '/', '')).toBe(file);
    expect(() => resolveCommand('./tool', root, `${root}/sub`)).toThrow(
      expect.objectContaining({ code: 'COMMAND_NOT_FOUND' }),
    );
  });

  test('reports a program that exists but is not executable', () => {
    const { put, root, searchPath } = folders();
    const file = put('second/plain', 0o644);
    for (const command of ['plain', file, './second/plain']) {
      expect(() => resolveCommand(command, root, searchPath)).toThrow(
        expect.objectContaining({ code: 'COMMAND_NOT_EXECUTABLE', facts: { command, path: file } }),
      );
    }
  });
});
