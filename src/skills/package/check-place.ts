import fs, { type Stats } from 'node:fs';
import path from 'node:path';
import { errnoOf, readRegularBytes } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { quoted } from '../quoted.ts';
import { SKILL_FILE, type SkillProblem } from '../skill.ts';
import { findSkillFolders } from '../sources/skill-folders.ts';
import { checkPackage, type SkillPackage } from './check-package.ts';
import { withoutSkillFile } from './check-skill-file.ts';
import { invalidPackage, MAX_PACKAGE_BYTES, type PackageFiles, tooLarge } from './package-files.ts';
import { readPackageFolder } from './read-folder.ts';
import { readPackageZip } from './read-zip.ts';

/** A package, and what is wrong with it. */
export interface CheckedPackage {
  /** Its folder or zip. */
  place: string;
  kind: 'folder' | 'zip';
  /** Null if one of the problems is an error. */
  skill: SkillPackage | null;
  problems: SkillProblem[];
}

/**
 * Checks everything at a path: the package of a folder or zip, or all packages below a folder, such as a checkout with
 * several skills. Whatever is wrong with a package is a problem of it. Throws if the path itself cannot be used.
 */
export async function checkPlace(place: string): Promise<CheckedPackage[]> {
  const root = path.resolve(place);
  const stats = statOf(root, place);
  if (stats.isFile() && path.basename(root) === SKILL_FILE) return [await checkFolder(path.dirname(root))];
  if (stats.isFile()) return [await checkZip(root, stats)];
  if (!stats.isDirectory()) throw invalidPackage(`${quoted(place)} is not a folder or a zip`, NAME_ONE);
  const folders = Array.from(findSkillFolders(root, { before: new Map(), now: new Map() }), ({ folder }) => folder);
  if (folders.length === 0)
    return [{ place: root, kind: 'folder', skill: null, problems: [withoutSkillFile(fs.readdirSync(root))] }];
  const checked: CheckedPackage[] = [];
  let bytes = 0;
  for (const folder of folders) {
    const one = await checkFolder(path.join(root, folder));
    for (const file of one.skill?.files.values() ?? []) bytes += file.bytes.length;
    if (bytes > MAX_PLACE_BYTES) throw tooLarge(`its skills have more than ${MAX_PLACE_BYTES} bytes together`);
    checked.push(one);
  }
  return reportDuplicates(checked);
}

/** Of all packages below a folder, since they are in memory together. */
const MAX_PLACE_BYTES = 4 * MAX_PACKAGE_BYTES;
const NAME_ONE = 'Name a folder with a SKILL.md, or a zip of one.';

async function checkFolder(folder: string): Promise<CheckedPackage> {
  // A checkout may have any name.
  const name = fs.existsSync(path.join(folder, '.git')) ? null : path.basename(folder);
  return await checkFiles({ place: folder, kind: 'folder' }, () => ({ files: readPackageFolder(folder), name }));
}

async function checkZip(file: string, { size }: Stats): Promise<CheckedPackage> {
  return await checkFiles({ place: file, kind: 'zip' }, async () => {
    if (size > MAX_PACKAGE_BYTES) throw tooLarge(`it has ${size} bytes`);
    const bytes = readRegularBytes(fs.realpathSync(file), { maxBytes: MAX_PACKAGE_BYTES });
    if (bytes.toString('latin1', 0, 2) !== 'PK') throw invalidPackage('it is not a zip', NAME_ONE);
    return withoutTopFolder(await readPackageZip(bytes));
  });
}

type ReadPackage = { files: PackageFiles; name: string | null };

async function checkFiles(
  at: Pick<CheckedPackage, 'place' | 'kind'>,
  read: () => ReadPackage | Promise<ReadPackage>,
): Promise<CheckedPackage> {
  try {
    const { files, name } = await read();
    return { ...at, ...(await checkPackage(files, name)) };
  } catch (error) {
    if (!(error instanceof TachoError)) throw error;
    const { code, message, fix = '', facts } = error;
    const file = typeof facts.path === 'string' ? { file: facts.path } : {};
    return { ...at, skill: null, problems: [{ code, severity: 'error', message, fix, ...file }] };
  }
}

/** A zip has one folder at its top, which has the name of the skill; or none. */
function withoutTopFolder(files: PackageFiles): ReadPackage {
  const tops = new Set(Array.from(files.keys(), (file) => file.split('/', 1)[0]!));
  const [top] = tops;
  if (files.has(SKILL_FILE) || top === undefined || tops.size > 1) return { files, name: null };
  return { files: new Map(Array.from(files, ([file, content]) => [file.slice(top.length + 1), content])), name: top };
}

function reportDuplicates(checked: readonly CheckedPackage[]): CheckedPackage[] {
  return checked.map((one) => {
    const { skill } = one;
    const others = checked.filter((other) => other !== one && skill && other.skill?.name === skill.name);
    if (!skill || others.length === 0) return one;
    const problem: SkillProblem = {
      code: 'SKILL_DUPLICATE_NAME',
      severity: 'error',
      message: `${skill.name} is also the name of ${others.map((other) => quoted(other.place)).join(' and ')}`,
      fix: 'Rename or remove all but one.',
      file: SKILL_FILE,
    };
    return { ...one, skill: null, problems: [...one.problems, problem] };
  });
}

function statOf(file: string, shown: string): Stats {
  try {
    return fs.statSync(file);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw invalidPackage(`${quoted(shown)} does not exist`, NAME_ONE, error);
    throw invalidPackage(`${quoted(shown)} cannot be opened (${errnoOf(error)})`, NAME_ONE, error);
  }
}
