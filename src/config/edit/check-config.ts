import path from 'node:path';
import type { LoadConfigRequest } from '../overlays.ts';
import type { ConfigProblem } from '../problem.ts';
import { readSmallFile } from '../sources/config-file.ts';
import { readFileLayer } from '../sources/file-layer.ts';
import { problemsWith } from './check-change.ts';

/** All problems of one file, or of the whole configuration here as if it were trusted. */
export function checkConfig(request: LoadConfigRequest, file?: string): ConfigProblem[] {
  if (file === undefined) return problemsWith(request);
  const problems: ConfigProblem[] = [];
  const resolved = path.resolve(request.workspaceRoot, file);
  const namedBy = { kind: 'session', name: 'command line' } as const;
  readFileLayer({ path: resolved, name: file, namedBy, content: readSmallFile(resolved) }, problems);
  return problems;
}
