/** One file of a git index. */
export interface IndexEntry {
  /** Path from the top of the work tree, as a latin1 string of its bytes. */
  path: string;
  /** The object with its content. */
  oid: string;
  /** As git recorded them when the content was added. */
  mtimeSeconds: number;
  mtimeNanoseconds: number;
  inode: number;
  size: number;
}

const HEADER_BYTES = 12;
const OID_AT = 40;
const OID_BYTES = 20;
const FLAGS_AT = OID_AT + OID_BYTES;
const FILE_MODE = 0o100000;

/**
 * The files in a git index of version 2, 3 or 4, except those in conflict. Invalid bytes end the list at the first
 * impossible entry. https://git-scm.com/docs/index-format
 */
export function* indexEntries(index: Buffer): Generator<IndexEntry> {
  if (index.length < HEADER_BYTES || index.toString('latin1', 0, 4) !== 'DIRC') return;
  const version = index.readUInt32BE(4);
  if (version < 2 || version > 4) return;
  const count = index.readUInt32BE(8);
  let at = HEADER_BYTES;
  let path = '';
  for (let entry = 0; entry < count; entry++) {
    if (at + FLAGS_AT + 2 > index.length) return;
    const flags = index.readUInt16BE(at + FLAGS_AT);
    const isExtended = version > 2 && (flags & 0x4000) !== 0;
    let nameAt = at + FLAGS_AT + (isExtended ? 4 : 2);
    let prefix = '';
    if (version === 4) {
      const cut = readVarint(index, nameAt);
      if (cut === null || cut.value > path.length) return;
      prefix = path.slice(0, path.length - cut.value);
      nameAt = cut.end;
    }
    const nameEnd = index.indexOf(0, nameAt);
    if (nameEnd < 0) return;
    path = prefix + index.toString('latin1', nameAt, nameEnd);
    const stage = (flags >> 12) & 3;
    const isFile = (index.readUInt32BE(at + 24) & 0o170000) === FILE_MODE;
    if (stage === 0 && isFile) yield entryAt(index, at, path);
    // Up to version 3, entries are padded with NULs to a multiple of eight.
    at = version === 4 ? nameEnd + 1 : at + ((nameEnd - at + 8) & ~7);
  }
}

function entryAt(index: Buffer, at: number, path: string): IndexEntry {
  return {
    path,
    oid: index.toString('hex', at + OID_AT, at + FLAGS_AT),
    mtimeSeconds: index.readUInt32BE(at + 8),
    mtimeNanoseconds: index.readUInt32BE(at + 12),
    inode: index.readUInt32BE(at + 20),
    size: index.readUInt32BE(at + 36),
  };
}

/** Git's encoding of the length to strip from the previous name. */
function readVarint(bytes: Buffer, start: number): { value: number; end: number } | null {
  let value = 0;
  for (let at = start; at < Math.min(bytes.length, start + 5); at++) {
    const byte = bytes[at]!;
    value = value * 128 + (byte & 127);
    if ((byte & 128) === 0) return { value, end: at + 1 };
    value += 1;
  }
  return null;
}
