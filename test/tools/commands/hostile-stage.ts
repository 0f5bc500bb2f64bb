import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { HostileStage } from './hostile-ways.ts';
import { folderOnDisk } from './opened.ts';

export interface Staged {
  /** The folder of everything. */
  around: string;
  stage: HostileStage;
  /** Everything that a program must not change, with its content and mode. */
  protectedFiles(): Record<string, string>;
}

/** The files of a daemon in the workspace, if there is one, come and go. */
const OF_DAEMON = 'workspace/.tacho/runtime';

/** Makes the setting in which a hostile program works. */
export function setTheStage(outside: Pick<HostileStage, 'port' | 'abstract' | 'pid'>): Staged {
  const around = folderOnDisk();
  const at = (name: string) => path.join(around, name);
  const write = (name: string, text: string) => {
    fs.mkdirSync(path.dirname(at(name)), { recursive: true });
    fs.writeFileSync(at(name), text);
  };
  for (const name of ['workspace', 'workspace/inner/deep', 'workspace/bare-hooks']) {
    execFileSync('git', ['init', '-q', at(name)]);
    write(`${name}/.git/hooks/sample`, '#!/bin/sh\n');
  }
  execFileSync('git', ['init', '-q', '--bare', at('workspace/bare.git')]);
  fs.rmSync(at('workspace/bare-hooks/.git/hooks'), { recursive: true });
  write('workspace/.tacho/runs/r1/events.jsonl', 'log');
  write('workspace/.tacho/runs/r1/vault/key', 'vault');
  write('workspace/.tacho/skills/review/SKILL.md', 'a skill');
  write('workspace/inner/.tacho/runtime/server.json', 'secret');
  for (const name of ['policy.yaml', '.bashrc', '.env']) write(`workspace/${name}`, '# kept\n');
  write('sibling/file', 'sibling');
  write('home/.ssh/id_ed25519', 'key');
  write('home/.aws/credentials', 'key');
  write('home/notes', 'notes');
  write('data/keys/seal.ed25519.pem', 'key');
  const stage = { workspace: at('workspace'), sibling: at('sibling'), home: at('home'), data: at('data'), ...outside };
  return { around, stage, protectedFiles: () => protectedFiles(around) };
}

function protectedFiles(around: string): Record<string, string> {
  const roots = ['sibling', 'home', 'data', 'workspace/.tacho', 'workspace/inner', 'workspace/bare.git/hooks'];
  const more = ['workspace/.git/hooks', 'workspace/.git/config', 'workspace/bare-hooks/.git'];
  const files = ['policy.yaml', '.bashrc', '.env'].map((name) => `workspace/${name}`);
  const kept: Record<string, string> = {};
  const visit = (name: string): void => {
    if (name === OF_DAEMON) return;
    const file = path.join(around, name);
    const stat = fs.lstatSync(file);
    if (stat.isDirectory()) for (const inner of fs.readdirSync(file)) visit(`${name}/${inner}`);
    kept[name] = `${stat.mode.toString(8)} ${stat.isFile() ? fs.readFileSync(file, 'utf8') : ''}`;
  };
  for (const name of [...roots, ...more, ...files]) visit(name);
  return kept;
}
