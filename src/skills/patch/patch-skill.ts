import { SKILL_LAYERS, type SkillLayerName } from '../../protocol/index.ts';
import { sha256 } from '../stored-skill.ts';

/** A text that is added to a skill. */
export interface SkillLayer {
  layer: SkillLayerName;
  /** Of the text file. */
  version: string;
  /** Of the text file, which is the same for all runs. */
  sha256: string;
  /** Of `text`, which names things of one run. */
  rendered_sha256: string;
  text: string;
}

/** What of a layer can be read from a patched skill. */
export type PatchedLayer = Omit<SkillLayer, 'sha256'>;

const VERSION = '[A-Za-z0-9][A-Za-z0-9.-]{0,31}';
export const VERSION_PATTERN = new RegExp(`^${VERSION}$`);

const LENGTH = '0|[1-9]\\d{0,8}';
const OPENING = new RegExp(
  `^\\n<!-- tacho:layer (${SKILL_LAYERS.join('|')}) version=(${VERSION}) bytes=(${LENGTH}) sha256=([0-9a-f]{64}) -->\\n`,
);
const CLOSING = new RegExp(`^<!-- tacho:patch bytes=(${LENGTH}) sha256=([0-9a-f]{64}) -->\\n$`);
const MAX_FENCE_BYTES = 200;

/**
 * Adds layers to a SKILL.md, at its end. Layers that are there already are replaced, so the result depends on the original
 * and the given layers alone.
 *
 * The last line states the length and hash of the original, and each layer its own. So the original may contain
 * anything, also fences and whole layers, since none of it is searched.
 */
export function patchSkill(
  skill: Uint8Array,
  layers: readonly Pick<SkillLayer, 'layer' | 'version' | 'text'>[],
): Buffer {
  const original = unpatchSkill(skill);
  if (layers.length === 0) return original;
  const ordered = layers.toSorted((one, other) => orderOf(one.layer) - orderOf(other.layer));
  if (new Set(ordered.map(({ layer }) => layer)).size < ordered.length) throw new Error('a layer is given twice');
  const blocks = ordered.map(({ layer, version, text }) => {
    if (!VERSION_PATTERN.test(version)) throw new Error(`invalid version ${JSON.stringify(version)} of a layer`);
    const bytes = Buffer.byteLength(text);
    const opening = `\n<!-- tacho:layer ${layer} version=${version} bytes=${bytes} sha256=${sha256(text)} -->\n`;
    return `${opening}${text}${endOf(layer)}`;
  });
  const closing = `<!-- tacho:patch bytes=${original.length} sha256=${sha256(original)} -->\n`;
  return Buffer.concat([original, Buffer.from(`${lineEndOf(original)}${blocks.join('')}${closing}`)]);
}

/** The original of a patched skill, byte for byte. Any other skill is its own original. */
export function unpatchSkill(skill: Uint8Array): Buffer {
  return readPatch(skill)?.original ?? Buffer.from(skill);
}

/**
 * The parts of a patched skill; null for any other. Only exactly what `patchSkill` makes is one: a copy of a patch in
 * another text is not bound to that text, and an edited layer does not have its hash.
 */
export function readPatch(skill: Uint8Array): { original: Buffer; layers: PatchedLayer[] } | null {
  const bytes = Buffer.from(skill.buffer, skill.byteOffset, skill.byteLength);
  const closingAt = bytes.lastIndexOf('<!-- tacho:patch ');
  const closing = closingAt < 0 ? null : CLOSING.exec(textAt(bytes, closingAt));
  const length = Number(closing?.[1]);
  if (!closing || length > closingAt) return null;
  const original = Buffer.from(bytes.subarray(0, length));
  if (sha256(original) !== closing[2]) return null;
  const layers: PatchedLayer[] = [];
  let at = length + lineEndOf(original).length;
  while (at < closingAt) {
    const found = readLayer(bytes, at);
    if (!found || isOutOfOrder(layers, found.layer)) return null;
    layers.push(found.layer);
    at = found.end;
  }
  return at === closingAt && layers.length > 0 ? { original, layers } : null;
}

function readLayer(bytes: Buffer, at: number): { layer: PatchedLayer; end: number } | null {
  const opening = OPENING.exec(textAt(bytes, at));
  if (!opening) return null;
  const [line, name, version, length, hash] = opening;
  const start = at + line.length;
  const content = bytes.subarray(start, start + Number(length));
  const layer = name as SkillLayerName;
  const end = start + Number(length) + endOf(layer).length;
  if (sha256(content) !== hash || bytes.toString('latin1', start + content.length, end) !== endOf(layer)) return null;
  return { layer: { layer, version: version!, rendered_sha256: hash, text: content.toString() }, end };
}

function isOutOfOrder(before: readonly PatchedLayer[], { layer }: PatchedLayer): boolean {
  const last = before.at(-1);
  return last !== undefined && orderOf(last.layer) >= orderOf(layer);
}

function orderOf(layer: SkillLayerName): number {
  return SKILL_LAYERS.indexOf(layer);
}

function endOf(layer: SkillLayerName): string {
  return `\n<!-- tacho:end ${layer} -->\n`;
}

/** Fences are on lines of their own, also after a text without an end of its last line. */
function lineEndOf(original: Buffer): string {
  return original.length === 0 || original.at(-1) === 0x0a ? '' : '\n';
}

/** A fence has only ASCII characters; other bytes do not become any. */
function textAt(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at, at + MAX_FENCE_BYTES);
}
