import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type ConfigProblem, type LoadConfigRequest, type LoadedConfig, loadConfig } from '../../src/config/index.ts';
import { TachoError } from '../../src/protocol/index.ts';
import { trustFolder } from '../support/trust.ts';

/** A real folder with these files in it, removed after the test. */
export function workspace(files: Record<string, string | Uint8Array> = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'tacho-config-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeFiles(root, files);
  return root;
}

export function writeFiles(root: string, files: Record<string, string | Uint8Array>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
}

/** Loads a workspace whose files are trusted. */
export function loadTrusted(request: LoadConfigRequest): LoadedConfig {
  const dataFolder = workspace();
  trustFolder(request.workspaceRoot, { env: request.env, dataFolder });
  return loadConfig({ ...request, dataFolder });
}

/** Loads a trusted workspace whose `config/tacho.yaml` is this text. */
export function loadYaml(text: string | Uint8Array, request: Partial<LoadConfigRequest> = {}): LoadedConfig {
  return loadTrusted({ workspaceRoot: workspace({ 'config/tacho.yaml': text }), env: {}, ...request });
}

export function failure(load: () => unknown): TachoError {
  try {
    load();
  } catch (error) {
    if (error instanceof TachoError) return error;
    throw error;
  }
  throw new Error('expected a TachoError');
}

export function problemsOf(load: () => unknown): ConfigProblem[] {
  return failure(load).facts.problems as ConfigProblem[];
}
