import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { ToolResult } from '../../src/protocol/index.ts';
import {
  type CallPlace,
  createRegistry,
  type Tool,
  type ToolContext,
  type ToolRegistry,
  WorkspaceFiles,
} from '../../src/tools/index.ts';
import { removeFolder, temporaryFolder } from '../support/tacho.ts';

/** A new workspace with these files. */
export function workspaceWith(files: Readonly<Record<string, string>> = {}): string {
  const around = fs.realpathSync(temporaryFolder());
  onTestFinished(() => removeFolder(around));
  const root = path.join(around, 'workspace');
  fs.mkdirSync(root);
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), content);
  }
  return root;
}

export function contextFor(workspaceRoot: string, more: Partial<ToolContext> = {}): ToolContext {
  return {
    workspaceRoot,
    runId: 'run',
    callId: 'call',
    callKey: '1.call',
    signal: new AbortController().signal,
    env: {},
    files: new WorkspaceFiles(workspaceRoot),
    commands: { run: () => Promise.reject(new Error('no command was expected')) },
    skills: null,
    runtime: null,
    ...more,
  };
}

export function placeOf(workspaceRoot: string): CallPlace {
  return { workspaceRoot, digest: (content) => `digest:${content.length}` };
}

/** Prepares and executes a call, as the loop does once the policy agrees. */
export async function call(
  tools: readonly Tool[] | ToolRegistry,
  name: string,
  value: unknown,
  context: ToolContext,
): Promise<ToolResult> {
  const registry = 'specs' in tools ? tools : createRegistry(tools, { now: () => 0 });
  const prepared = await registry.prepare(name, value, placeOf(context.workspaceRoot));
  return prepared.ok ? await registry.execute(prepared, context) : prepared.result;
}
