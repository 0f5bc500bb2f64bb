import path from 'node:path';
import type { SpecPart } from '../tool-spec.ts';

export type SpecDigests = Readonly<Record<SpecPart, string>>;

/** Which tools of MCP servers were accepted, by a person or by a rule, and as what: nothing but digests. */
export interface KnownTools {
  /** The accepted tools of a server, by name. Throws if they are not known. */
  accepted(server: string): Promise<ReadonlyMap<string, SpecDigests>>;
  accept(server: string, tool: string, digests: SpecDigests): Promise<void>;
}

/** Kept in `mcp-tools.json` of a folder, for all runs that use it; private to the user. */
export function knownToolsIn(folder: string): KnownTools {
  const file = path.join(folder, 'mcp-tools.json');
  const files = () => import('./known-tools-file.ts');
  return {
    accepted: async (server) => (await files()).readAccepted(file, server),
    accept: async (server, tool, { description, parameters }) =>
      await (await files()).writeAccepted(file, { server, tool, description, parameters }),
  };
}
