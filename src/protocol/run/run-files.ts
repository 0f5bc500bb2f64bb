import * as z from 'zod';

const MOST_BYTES = 900_000;
const LONGEST_NAME = 255;
/** Runs of earlier versions worked beside their record. */
const RESERVED = ['.audit', '.run.json'];

const sizeOf = (text: string) => new TextEncoder().encode(text).length;

const pathSchema = z
  .string()
  .max(1024)
  .refine((path) => path.split('/').every(isName), 'is not a relative path inside the working folder')
  .refine((path) => !RESERVED.includes(path.split('/')[0]!), 'belongs to the record');

/** Files that a new run finds in its working folder. */
export const runFilesSchema = z
  .array(z.strictObject({ path: pathSchema.describe('Relative to the working folder.'), text: z.string() }))
  .max(100)
  .refine((files) => files.reduce((sum, { text }) => sum + sizeOf(text), 0) <= MOST_BYTES, 'are more than 900 kB')
  .refine((files) => !files.some(({ path }, index) => standsInTheWay(path, files.slice(0, index))), {
    message: 'name one path twice, or one below a file',
  });
export type RunFiles = z.infer<typeof runFilesSchema>;

function isName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('\0') && sizeOf(name) <= LONGEST_NAME;
}

function standsInTheWay(path: string, others: readonly { path: string }[]): boolean {
  return others.some(
    (other) => other.path === path || other.path.startsWith(`${path}/`) || path.startsWith(`${other.path}/`),
  );
}
