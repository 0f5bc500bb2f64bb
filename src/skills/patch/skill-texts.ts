import fs from 'node:fs';
import path from 'node:path';
import { type Config, embeddedList, embeddedName, readEmbedded } from '../../config/index.ts';
import { errnoOf, readRegularBytes } from '../../files/index.ts';
import { SKILL_TEXTS, type SkillLayerName, type SkillTextName, TachoError } from '../../protocol/index.ts';
import { quoted } from '../quoted.ts';
import { sha256 } from '../stored-skill.ts';
import { VERSION_PATTERN } from './patch-skill.ts';

/** The text of a layer, with placeholders for what a run decides. */
export interface SkillText {
  version: string;
  /** Of the whole file. */
  sha256: string;
  template: string;
}

/** The texts of all layers that are switched on. */
export type SkillTexts = Partial<Record<SkillTextName, SkillText>>;

const PLACEHOLDERS: Record<SkillTextName, readonly string[]> = {
  artifacts: ['artifacts_folder', 'artifacts'],
  'completion-object': ['marker'],
  'completion-separate': ['marker', 'done_object'],
  'output-message': ['fields', 'example'],
  'output-file': ['result_file', 'fields', 'example'],
  'mode-auto': ['marker'],
  'mode-interactive': ['marker'],
};
const PLACEHOLDER = /\{\{\s*([^{}\s]*)\s*\}\}/g;
const FIRST_LINE = /^<!-- tacho:text (\S+) (\S+) -->\r?\n/;
const MAX_BYTES = 65_536;

/**
 * Reads the texts of the layers: those of tacho, or the files that the configuration names. Throws SKILL_TEXT_INVALID,
 * which names the file, for any that cannot be used.
 */
export function readSkillTexts({
  settings: { layers, texts },
  workspaceRoot,
}: {
  settings: Pick<Config['skills'], 'layers' | 'texts'>;
  workspaceRoot: string;
}): SkillTexts {
  const read: SkillTexts = {};
  for (const [name, layer] of Object.entries(SKILL_TEXTS) as [SkillTextName, SkillLayerName][]) {
    if (!layers.includes(layer)) continue;
    const own = texts[name]?.file;
    read[name] = own === undefined ? shippedText(name) : readText(name, path.resolve(workspaceRoot, own));
  }
  return read;
}

/** Puts values in place of the placeholders. What is in a value is never a placeholder. */
export function fillIn({ template }: SkillText, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(PLACEHOLDER, (_, key: string) => values[key]!);
}

/** In the single executable, or next to the running bundle; in a source tree, next to this file. */
function shippedText(name: SkillTextName): SkillText {
  const file = path.join(import.meta.dirname, 'texts', `${name}.md`);
  return readText(name, file, embeddedList() ? () => readEmbedded(embeddedName.text(`${name}.md`)) : undefined);
}

function readText(name: SkillTextName, file: string, read = () => readBytes(file)): SkillText {
  let bytes: Buffer;
  try {
    bytes = read();
  } catch (error) {
    const errno = errnoOf(error);
    const why =
      errno === 'ENOENT'
        ? 'is missing'
        : errno === 'EFBIG'
          ? `is larger than ${MAX_BYTES} bytes`
          : `cannot be read (${errno ?? (error as Error).message})`;
    throw invalidText(name, file, why, error);
  }
  return parse(name, file, bytes);
}

function readBytes(file: string): Buffer {
  return readRegularBytes(fs.realpathSync(file), { maxBytes: MAX_BYTES });
}

function parse(name: SkillTextName, file: string, bytes: Buffer): SkillText {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw invalidText(name, file, 'is not UTF-8', error);
  }
  if (text.trim() === '') throw invalidText(name, file, 'is empty');
  const [line, stated, version] = FIRST_LINE.exec(text) ?? [];
  if (line === undefined) {
    throw invalidText(name, file, `does not begin with a line such as <!-- tacho:text ${name} 1 -->`);
  }
  if (stated !== name) throw invalidText(name, file, `is the text ${quoted(stated!)}, not ${name}`);
  if (!VERSION_PATTERN.test(version!)) {
    throw invalidText(
      name,
      file,
      `has the version ${quoted(version!)}; one has up to 32 letters, digits, dots and hyphens`,
    );
  }
  const template = text.slice(line.length).trim();
  if (template === '') throw invalidText(name, file, 'is empty');
  const unknown = [...template.matchAll(PLACEHOLDER)].find(([, key]) => !PLACEHOLDERS[name].includes(key!));
  if (unknown) {
    const known = PLACEHOLDERS[name].map((key) => `{{${key}}}`).join(', ');
    throw invalidText(name, file, `has the placeholder ${quoted(unknown[0])}; it can have ${known}`);
  }
  return { version: version!, sha256: sha256(bytes), template };
}

function invalidText(name: SkillTextName, file: string, why: string, cause?: unknown): TachoError {
  return new TachoError('SKILL_TEXT_INVALID', `the text ${name} of skills, ${quoted(file)}, ${why}`, {
    facts: { text: name, path: file },
    fix: `Correct the file, or set skills.texts.${name}.file to another.`,
    cause,
  });
}
