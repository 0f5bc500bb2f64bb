import { pieces } from '../file-pieces.ts';
import { type RecordFiles, withFile } from '../record-files.ts';

/** Hash of a file's first `upTo` bytes (default: all); null if there is no file. */
export async function hashFile(
  files: RecordFiles,
  name: string,
  upTo?: number,
): Promise<{ size: number; bytes: number; sha256: string } | null> {
  return withFile(files, name, async (file) => {
    if (file === null) return null;
    const hash = files.sha256.start();
    let hashed = 0;
    for await (const { bytes } of pieces(file, 0, Math.min(file.size, upTo ?? file.size))) {
      hash.update(bytes);
      hashed += bytes.length;
    }
    return { size: file.size, bytes: hashed, sha256: hash.digest() };
  });
}
