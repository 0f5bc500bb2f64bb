import { mentionOf } from '../../protocol/index.ts';
import { describePackage, type PackageDescription, type SkillMetadata } from '../../skills/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { formatBytes, printable, table } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { withSkills } from './open-here.ts';

interface ShownSkill extends SkillMetadata, PackageDescription {
  body: string;
}

/** `tacho skills show` */
export async function showCommand(argument: string, options: CommonOptions): Promise<void> {
  const shown = await withSkills(options, async (skills): Promise<ShownSkill> => {
    const skill = await skills.find(argument);
    const body = await skills.readBody(skill);
    return { ...skill, ...(await describePackage(await skills.readFiles(skill))), body };
  });
  process.stdout.write(options.json ? `${JSON.stringify({ skill: shown })}\n` : describe(shown));
}

function describe(skill: ShownSkill): string {
  const { name, description, location, source, required_env_vars, metadata, manifest, files, body } = skill;
  const variables = required_env_vars.map((variable) => `${variable}${process.env[variable] ? '' : ' (not set)'}`);
  const rows = [
    ['mention', mentionOf(skill)],
    ['location', location],
    ['source', source],
    ['needs', variables.join(', ')],
    ['metadata', Object.keys(metadata).length === 0 ? '' : JSON.stringify(metadata)],
    ['version', manifest?.version ?? ''],
    ['modes', manifest?.execution_modes.join(', ') ?? ''],
    ['engines', manifest?.engines?.join(', ') ?? ''],
    [
      'schemas',
      Object.entries(manifest?.schemas ?? {})
        .map((pair) => pair.join(': '))
        .join(', '),
    ],
    ['files', files.map(({ path, bytes }) => `${path} (${formatBytes(bytes)})`).join(', ')],
  ].filter(([, value]) => value !== '');
  const text = body.split('\n').map(printable).join('\n').trimEnd();
  const facts = table(rows.map(([key, value]) => [`  ${key}`, printable(value!)]));
  return `${paint.bold(name)}  ${printable(description)}\n${facts}\n${text}\n`;
}
