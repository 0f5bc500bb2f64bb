import type { SchemaPool } from '../../skills/package/json-schema.ts';
import type { ListedTool, ToolListing } from './list-tools.ts';

/** Processor time for the schemas of one server. */
const MAX_CPU_MS = 5000;

/** Leaves out tools whose schemas are not valid: a provider would refuse the whole request because of one of them. */
export async function withValidSchemas({ tools, leftOut }: ToolListing): Promise<ToolListing> {
  const { compileSchema } = await import('../../skills/package/json-schema.ts');
  const pool: SchemaPool = new Map();
  const check = async ({ parameters }: ListedTool) => {
    const options = { draft: '2020-12', isTrusted: false } as const;
    // One that names its parts like another schema is valid by itself.
    await compileSchema(parameters, { ...options, pool }).catch(() => compileSchema(parameters, options));
  };
  const valid: ListedTool[] = [];
  const invalid: string[] = [];
  const before = process.cpuUsage();
  for (const tool of tools) {
    const { user, system } = process.cpuUsage(before);
    if (user + system > MAX_CPU_MS * 1000) {
      invalid.push(`${tool.name} and others: the schemas take too long to check`);
      break;
    }
    try {
      await check(tool);
      valid.push(tool);
    } catch (error) {
      invalid.push(`${JSON.stringify(tool.name)}: ${(error as Error).message}`);
    }
  }
  return { tools: valid, leftOut: [...leftOut, ...invalid] };
}
