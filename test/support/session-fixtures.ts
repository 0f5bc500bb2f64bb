import fs from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { findEngine, type SessionFormat } from '../../src/engines/index.ts';
import { completionStateSchema, toolKindSchema } from '../../src/protocol/index.ts';
import { projectRoot } from './tacho.ts';

/** `expected-session.json`, written by hand from the file. */
const expectedSessionSchema = z.strictObject({
  session_id: z.string(),
  model: z.string().nullable(),
  prompts: z.array(z.string()),
  final_messages: z.array(z.string()),
  reasoning: z.array(z.string()),
  tools: z.array(z.strictObject({ name: z.string(), kind: toolKindSchema, state: z.enum(['completed', 'failed']) })),
  usage: z.record(z.string(), z.number()).nullable(),
  errors: z.array(z.string()),
  first_time: z.string(),
  last_time: z.string(),
  completion: z.tuple([completionStateSchema, z.string()]),
});

export interface SessionFixture {
  engine: string;
  name: string;
  file: string;
  bytes: Buffer;
  format: SessionFormat;
  expected: z.infer<typeof expectedSessionSchema>;
}

/** Session files that real CLIs kept, below `test/fixtures/<engine>/session-<case>`. */
export function listSessionFixtures(): SessionFixture[] {
  const root = path.join(projectRoot, 'test/fixtures');
  return ['codex', 'claude', 'pi', 'agent'].flatMap((engine) =>
    fs
      .readdirSync(path.join(root, engine))
      .filter((name) => name.startsWith('session-'))
      .map((name) => {
        const folder = path.join(root, engine, name);
        const file = path.join(folder, 'session.jsonl');
        const expected = JSON.parse(fs.readFileSync(path.join(folder, 'expected-session.json'), 'utf8')) as unknown;
        return {
          engine,
          name,
          file,
          bytes: fs.readFileSync(file),
          format: findEngine(engine)!.sessions!,
          expected: expectedSessionSchema.parse(expected),
        };
      }),
  );
}
