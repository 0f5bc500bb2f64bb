import type { Policy } from '../../approvals/index.ts';
import { createRegistry, type Tool, type ToolRegistry } from '../../tools/index.ts';
import { readInputSchema } from '../../tools/input-schema.ts';
import { specOf } from '../../tools/tool-spec.ts';
import { askAgain } from '../loop/ask-again.ts';
import type { Effects } from '../loop/effects.ts';
import type { AgentOptions } from '../options.ts';
import { createRedactor, type Redactor } from '../wal/index.ts';
import { createOutputCheck } from './output-check.ts';

/** What a run is made of, besides its log: the same for a start, a resume and a replay. */
export interface RunParts {
  workspaceRoot: string;
  /** Those of the agent itself, and those of its sources. */
  registry: ToolRegistry;
  policy: Policy;
  redactor: Redactor;
}

export async function openParts<Output>(options: AgentOptions<Output>, workspaceRoot: string): Promise<RunParts> {
  const policy = options.policy ?? (await defaultPolicy(workspaceRoot));
  const { toolNames } = options;
  const all = (options.tools ?? (await builtins(options))) as readonly Tool[];
  const tools = toolNames ? all.filter(({ name }) => toolNames.includes(name)) : all;
  const registry = createRegistry(tools, limitsOf(options));
  const secrets = [
    ...(options.secrets ?? []),
    ...(options.toolSources ?? []).flatMap((source) => source.secrets ?? []),
  ];
  return { workspaceRoot, registry, policy, redactor: createRedactor(secrets) };
}

/** The same parts with the tools of sources, which are known only when those were opened. */
export function withSourceTools<Output, Parts extends RunParts>(
  parts: Parts,
  options: AgentOptions<Output>,
  found: readonly Tool[],
): Parts {
  const { toolNames } = options;
  const more = toolNames ? found.filter(({ name }) => toolNames.includes(name)) : found;
  if (more.length === 0) return parts;
  const own = parts.registry.specs().map(({ name }) => parts.registry.get(name)!);
  return { ...parts, registry: createRegistry([...own, ...more], limitsOf(options)) };
}

function limitsOf({ limits }: Pick<AgentOptions<unknown>, 'limits'>): { maxOutputChars?: number } {
  return limits?.maxOutputBytes === undefined ? {} : { maxOutputChars: limits.maxOutputBytes };
}

async function defaultPolicy(workspaceRoot: string): Promise<Policy> {
  const { createPolicy } = await import('../../approvals/policy/create-policy.ts');
  return await createPolicy({ rules: [], workspaceRoot });
}

async function builtins({ runtime, skills }: Pick<AgentOptions<unknown>, 'runtime' | 'skills'>): Promise<Tool[]> {
  const { builtinTools } = await import('../../tools/builtin/index.ts');
  return builtinTools({ runtime: runtime ?? false, skills: skills !== undefined });
}

/** What does not depend on whether a run is live. */
export function commonEffects<Output>(
  options: AgentOptions<Output>,
  { policy, redactor, workspaceRoot, digest }: RunParts & { digest: (text: string) => string },
): Pick<Effects, 'judge' | 'digest' | 'digestOf' | 'textStream' | 'prepared' | 'checkOutput' | 'outputSchema'> {
  const output = options.output === undefined ? null : readInputSchema<unknown>('output', options.output);
  const transparent = { push: (text: string) => text, flush: () => '' };
  return {
    judge: ({ callId: _, isEarly: __, foreign, ...call }) =>
      foreign
        ? askAgain(policy.evaluate({ ...call, suggestsTool: true }), foreign.known, foreign.now)
        : policy.evaluate(call),
    digest,
    digestOf: (tool, input, spec) =>
      digest(JSON.stringify([workspaceRoot, tool, input, ...(spec ? [specOf({ name: tool, ...spec }).digest] : [])])),
    textStream: () => (redactor.isEmpty ? transparent : redactor.stream()),
    prepared: new Map(),
    checkOutput: output && createOutputCheck(output),
    outputSchema: output?.parameters ?? null,
  };
}
