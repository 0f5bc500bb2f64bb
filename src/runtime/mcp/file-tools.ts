import { isUtf8 } from 'node:buffer';
import * as z from 'zod';
import { RUNTIME_METHODS } from '../../protocol/index.ts';
import { incompleteEnd } from '../../terminal/encode-bytes.ts';
import { defineTool, type Tool } from './tool.ts';

const READ_BYTES = 32_768;
const MAX_READ_BYTES = 262_144;
const ENTRIES = 200;
const MAX_ENTRIES = 2000;

const reading = RUNTIME_METHODS['file.read'].params;
const readFile = defineTool({
  name: 'read_file',
  title: 'Read a file',
  description:
    'Reads a file of the workspace, or a part of it: from offset (in bytes) on, max_bytes at most. Read on with offset set ' +
    'to next until end is true. A file that is not text comes in base64.',
  input: reading.omit({ encoding: true }).extend({
    max_bytes: reading.shape.max_bytes.unwrap().min(4).max(MAX_READ_BYTES).default(READ_BYTES),
  }),
  output: RUNTIME_METHODS['file.read'].result,
  annotations: { readOnlyHint: true },
  call: async (params, { runtime }) => {
    const read = await runtime.call('file.read', { ...params, encoding: 'base64' });
    const bytes = Buffer.from(read.data, 'base64');
    // A character that was cut is read completely next time.
    const whole = read.end ? bytes : bytes.subarray(0, bytes.length - incompleteEnd(bytes));
    const structured = isUtf8(whole)
      ? { ...read, data: whole.toString(), encoding: 'utf8' as const, next: params.offset + whole.length }
      : read;
    const { data, encoding, next, end, size } = structured;
    const what = `Bytes ${params.offset} to ${next} of ${size}${encoding === 'base64' ? ', in base64: it is not text' : ''}.`;
    const rest = end ? 'That is the end of it.' : `Read on: offset ${next}.`;
    return { structured, text: [`${what} ${rest}`, ...(data === '' ? [] : [data])] };
  },
});

const writeFile = defineTool({
  name: 'write_file',
  title: 'Write a file',
  description:
    'Writes a file of the workspace: what was in it before is replaced, unless append is true. Its folder has to exist.',
  input: RUNTIME_METHODS['file.write'].params,
  output: RUNTIME_METHODS['file.write'].result,
  annotations: { destructiveHint: true },
  call: async (params, { runtime }) => {
    const structured = await runtime.call('file.write', params);
    return { structured, text: [`${structured.path} has ${structured.size} bytes now.`] };
  },
});

const listFiles = defineTool({
  name: 'list_files',
  title: 'List a folder',
  description:
    'Lists a folder of the workspace by name, not what is in the folders below. When next is not null there is more: list ' +
    'on with offset set to next.',
  input: RUNTIME_METHODS['file.list'].params.extend({
    offset: z.int().min(0).default(0),
    max_entries: z.int().min(1).max(MAX_ENTRIES).default(ENTRIES),
  }),
  output: RUNTIME_METHODS['file.list'].result.extend({ total: z.int(), next: z.int().nullable() }),
  annotations: { readOnlyHint: true },
  call: async ({ offset, max_entries, ...folder }, { runtime }) => {
    const all = (await runtime.call('file.list', folder)).entries;
    const entries = all.slice(offset, offset + max_entries);
    const next = offset + entries.length < all.length ? offset + entries.length : null;
    const lines = entries.map((entry) => `${entry.type} ${entry.size} ${entry.path}`);
    const rest = next === null ? [] : [`${all.length - next} more: offset ${next}.`];
    return {
      structured: { entries, total: all.length, next },
      text: [
        [`${all.length} in ${folder.path}.`, ...rest].join(' '),
        ...(lines.length === 0 ? [] : [lines.join('\n')]),
      ],
    };
  },
});

export const fileTools: readonly Tool[] = [readFile, writeFile, listFiles];
