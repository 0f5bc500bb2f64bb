import { readLeniently, type Seal, sealSchema } from '../../protocol/index.ts';
import { readText } from '../file-pieces.ts';
import { type RecordFiles, type SignatureVerdict, withFile } from '../record-files.ts';
import { type Problem, problem } from './checking.ts';

/** A larger file is not a seal, and is not read completely. */
export const MAX_SEAL_BYTES = 64 * 1024 * 1024;
const SEAL_NAME = /^seal\.(\d+)\.json$/;

/** A file that should be a seal. `newer`: its format is not known to this version of tacho. */
export type FoundSeal = { name: string } & (
  | { kind: 'seal'; seal: Seal }
  | { kind: 'newer'; format: string }
  | { kind: 'unreadable'; why: string }
);

export async function readSeals(files: RecordFiles): Promise<FoundSeal[]> {
  const found: FoundSeal[] = [];
  for (const name of await files.names()) {
    const attempt = Number(SEAL_NAME.exec(name)?.[1] ?? 0);
    if (attempt > 0) found.push(await readSeal(files, name, attempt));
  }
  return found;
}

/** The readable seals; problems with the others are reported. */
export async function sealsByAttempt(files: RecordFiles, problems: Problem[]): Promise<Map<number, Seal>> {
  const seals = new Map<number, Seal>();
  for (const found of await readSeals(files)) {
    if (found.kind === 'seal') seals.set(found.seal.attempt, found.seal);
    else if (found.kind === 'unreadable') problems.push(problem('signature', found.name, found.why));
    else {
      const message = `made by a newer version of tacho (${found.format}), so what it seals cannot be checked here`;
      problems.push(problem('unchecked', found.name, message));
    }
  }
  return seals;
}

async function readSeal(files: RecordFiles, name: string, attempt: number): Promise<FoundSeal> {
  const text = await withFile(files, name, async (file) => file && readText(file, MAX_SEAL_BYTES));
  const value = parseJson(text ?? '');
  const { newer } = readLeniently(sealSchema, value);
  if (newer !== null) return { name, kind: 'newer', format: newer };
  // A signature covers every field, so unknown fields are not removed here.
  const parsed = sealSchema.safeParse(value);
  if (!parsed.success) return { name, kind: 'unreadable', why: 'not a readable seal' };
  // A copy under another number would pass one attempt off as another.
  if (parsed.data.attempt !== attempt) {
    return { name, kind: 'unreadable', why: `the seal of attempt ${parsed.data.attempt} under another name` };
  }
  return { name, kind: 'seal', seal: parsed.data };
}

/** 64 bytes in their canonical base64 form: decoders differ in what else they accept. */
const SIGNATURE = /^[A-Za-z0-9+/]{85}[AQgw]==$/;

/** Whether a seal was signed with the key it names, and that key has the id it claims. */
export async function checkSignature(files: RecordFiles, seal: Seal): Promise<SignatureVerdict> {
  const { signature, key, ...rest } = seal;
  if (!SIGNATURE.test(signature) || keyIdOf(files, key.public_key) !== key.id) return 'wrong';
  return files.verifySignature({ bytes: signedBytes({ ...rest, key }), signature, key });
}

/** The schema fixes the order of fields, so the same content always gives the same bytes. */
export function signedBytes(content: Omit<Seal, 'signature'>): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(content));
}

export function keyIdOf({ sha256 }: Pick<RecordFiles, 'sha256'>, publicKey: string): string | null {
  try {
    return sha256.of(Uint8Array.from(atob(publicKey), (character) => character.charCodeAt(0))).slice(0, 16);
  } catch {
    return null; // Not base64.
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
