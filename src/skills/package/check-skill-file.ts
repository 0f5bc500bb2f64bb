import { TachoError } from '../../protocol/index.ts';
import { type Frontmatter, lineOfKey, parseFrontmatter, splitFrontmatter } from '../frontmatter.ts';
import { onOneLine } from '../quoted.ts';
import { SKILL_FILE, type SkillProblem } from '../skill.ts';
import { readSkillFields, type SkillFields } from '../skill-fields.ts';
import type { PackageFiles } from './package-files.ts';

/** Reads the SKILL.md of a package and reports its problems. Null without a readable frontmatter. */
export function checkSkillFile(
  files: PackageFiles,
  folder: string | null,
  problems: SkillProblem[],
): { fields: SkillFields | null; body: string } | null {
  const file = SKILL_FILE;
  const bytes = files.get(file)?.bytes;
  if (!bytes) {
    problems.push(withoutSkillFile([...files.keys()]));
    return null;
  }
  let head: Frontmatter;
  let raw: Readonly<Record<string, unknown>>;
  try {
    head = splitFrontmatter(bytes, { isWhole: true })!;
    const parsed = parseFrontmatter(head);
    raw = parsed.fields;
    if (parsed.isRepaired) problems.push(repaired(head));
  } catch (error) {
    if (!(error instanceof TachoError)) throw error;
    const { code, message, fix = '', facts } = error;
    problems.push({
      code,
      severity: 'error',
      message,
      fix,
      file,
      line: typeof facts.line === 'number' ? facts.line : 1,
    });
    return null;
  }
  const { fields, flaws } = readSkillFields(raw);
  for (const { key, ...flaw } of flaws) problems.push({ ...flaw, file, line: lineOfKey(head, key) });
  if (fields && folder !== null && fields.name !== folder) {
    const message = `its name is ${fields.name}, but its folder is called ${onOneLine(folder)}`;
    const fix = `Rename the folder to ${fields.name}, or change the name to that of the folder.`;
    problems.push({
      code: 'SKILL_NAME_MISMATCH',
      severity: 'error',
      message,
      fix,
      file,
      line: lineOfKey(head, 'name'),
    });
  }
  const body = bytes.subarray(head.bodyAt).toString('utf8');
  if (body.trim() === '') problems.push(withoutBody(head));
  return { fields, body };
}

/** `names` are the files at the top of the package. */
export function withoutSkillFile(names: readonly string[]): SkillProblem {
  const other = names.find((name) => name.toLowerCase() === 'skill.md');
  const fix = other ? `Rename ${other} to SKILL.md.` : 'Add a SKILL.md with a frontmatter.';
  return { code: 'SKILL_PACKAGE_INVALID', severity: 'error', message: 'SKILL.md is missing', fix, file: SKILL_FILE };
}

function repaired(head: Frontmatter): SkillProblem {
  return {
    code: 'SKILL_FRONTMATTER_INVALID',
    severity: 'warning',
    message: 'a value has a colon and is not in quotes, which is not valid YAML',
    fix: 'Put the value in quotes; other agents may reject the skill.',
    file: SKILL_FILE,
    line: head.line,
  };
}

function withoutBody(head: Frontmatter): SkillProblem {
  return {
    code: 'SKILL_PACKAGE_INVALID',
    severity: 'warning',
    message: 'it has no instructions below the frontmatter',
    fix: 'Add the instructions.',
    file: SKILL_FILE,
    line: head.line + head.yaml.split('\n').length,
  };
}
