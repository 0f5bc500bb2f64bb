import fs from 'node:fs';
import path from 'node:path';
import { McpServer } from '@modelcontextprotocol/server';
import { SkillsExtension, skillEntry } from '@modelcontextprotocol/server/ext/skills';

/** While this file is there, a server does not answer. */
export const HOLD_FILE = '.hold';

/** A server of the official SDK that offers the skills of a folder by the Skills extension, read again for each request. */
export function skillsServer(root: string): McpServer {
  const contents = (skill: string) => {
    const folder = path.join(root, skill);
    const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => fs.statSync(path.join(folder, name)).isFile());
    return Object.fromEntries(files.map((name) => [name, new Uint8Array(fs.readFileSync(path.join(folder, name)))]));
  };
  const names = () => fs.readdirSync(root).filter((name) => !name.startsWith('.'));
  const entryOf = (name: string) => skillEntry(name, contents(name));
  const partsOf = (uri: string) => decodeURIComponent(uri.slice('skill://'.length)).split('/');
  const extension = new SkillsExtension({
    source: {
      list: async () => {
        while (fs.existsSync(path.join(root, HOLD_FILE))) await new Promise((resolve) => setTimeout(resolve, 10));
        return { skills: await Promise.all(names().map(entryOf)) };
      },
      get: async (uri) => {
        const [name = ''] = partsOf(uri);
        return names().includes(name) ? await entryOf(name) : undefined;
      },
      read: async (uri) => {
        const [name = '', ...rest] = partsOf(uri);
        const bytes = names().includes(name) ? contents(name)[rest.join('/')] : undefined;
        if (bytes === undefined) return undefined;
        return uri.endsWith('.md') ? { text: Buffer.from(bytes).toString() } : { bytes };
      },
    },
  });
  const server = new McpServer({ name: 'skills', version: '1' });
  extension.attach(server);
  return server;
}
