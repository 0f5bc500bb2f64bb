// Writes the schemas of src/protocol as JSON Schema to docs/schema, for programs in other languages than TypeScript.
//
//   npm run schemas

import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import {
  attemptResultSchema,
  byteRangeSchema,
  completionSchema,
  fcmpMessageSchema,
  fsChangeSchema,
  fsDiffSchema,
  fsEntrySchema,
  fsSnapshotSchema,
  metaSchema,
  processIdentitySchema,
  raspEventSchema,
  rawRefSchema,
  redactionsSchema,
  runRecordSchema,
  runStatusSchema,
  sealSchema,
  tracedWriteSchema,
} from '../src/protocol/index.ts';

const FOLDER = fileURLToPath(new URL('../docs/schema/', import.meta.url));

/** Schemas used in many places get a name and appear once per file. */
const NAMED = {
  raw_ref: rawRefSchema,
  byte_range: byteRangeSchema,
  run_status: runStatusSchema,
  process_identity: processIdentitySchema,
  fs_entry: fsEntrySchema,
  fs_change: fsChangeSchema,
};

/** Parts of every event and every message; the schemas of all types share them. */
const ENVELOPE_PARTS = ['ts', 'source', 'meta', 'correlation'];

const FILES: Record<string, { title: string; schema: z.ZodType }> = {
  'rasp-event': { title: 'One line of events.jsonl', schema: raspEventSchema() },
  'fcmp-message': { title: 'One line of conversation.jsonl', schema: fcmpMessageSchema() },
  'run-record': { title: '.run.json', schema: runRecordSchema },
  meta: { title: 'meta.N.json', schema: metaSchema },
  result: { title: 'result.N.json', schema: attemptResultSchema },
  seal: { title: 'seal.N.json', schema: sealSchema },
  'fs-snapshot': { title: 'fs-before.N.json and fs-after.N.json', schema: fsSnapshotSchema },
  'fs-diff': { title: 'fs-diff.N.json', schema: fsDiffSchema },
  redactions: { title: 'redactions.N.json', schema: redactionsSchema },
  'traced-write': { title: 'One line of writes.N.jsonl', schema: tracedWriteSchema },
  completion: { title: 'How an attempt ended; part of meta.N.json', schema: completionSchema },
};

/** File name and content of every schema. */
export function exportSchemas(): Map<string, string> {
  const forget: (() => void)[] = [];
  try {
    for (const [id, schema] of Object.entries(NAMED)) forget.push(name(schema, id));
    const files = new Map<string, string>();
    for (const [file, { title, schema }] of Object.entries(FILES)) {
      if (schema instanceof z.ZodUnion) forget.push(...nameEnvelope(schema));
      const { $schema, ...rest } = z.toJSONSchema(schema);
      files.set(`${file}.json`, `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n`);
    }
    return files;
  } finally {
    // The registry is global, and the API's document has its own names.
    for (const undo of forget.reverse()) undo();
  }
}

function nameEnvelope(union: z.ZodUnion): (() => void)[] {
  const { shape } = union.options[0] as z.ZodObject;
  return ENVELOPE_PARTS.filter((part) => shape[part]).map((part) => name(shape[part] as z.ZodType, part));
}

/** Names a schema temporarily; the returned function removes the name. */
function name(schema: z.ZodType, id: string): () => void {
  const before = z.globalRegistry.get(schema);
  z.globalRegistry.add(schema, { ...before, id });
  return () => {
    z.globalRegistry.remove(schema);
    if (before) z.globalRegistry.add(schema, before);
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  fs.mkdirSync(FOLDER, { recursive: true });
  for (const [name, content] of exportSchemas()) fs.writeFileSync(path.join(FOLDER, name), content);
}
