import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { knownToolsIn } from '../../../src/tools/mcp/index.ts';
import { digestOf } from '../../../src/tools/tool-spec.ts';
import { temporaryFolder } from '../../support/tacho.ts';

const server = digestOf('server');
const spec = (n: number) => ({ description: digestOf(`d${n}`), parameters: digestOf(`p${n}`) });

describe('known tools', () => {
  it('are none in a folder that does not exist yet', async () => {
    expect(await knownToolsIn(path.join(temporaryFolder(), 'new')).accepted(server)).toEqual(new Map());
  });

  it('are those that were accepted last, of each server', async () => {
    const known = knownToolsIn(temporaryFolder());
    await known.accept(server, 'act', spec(1));
    await known.accept(server, 'act', spec(2));
    await known.accept(digestOf('other'), 'act', spec(3));
    expect(await known.accepted(server)).toEqual(new Map([['act', spec(2)]]));
  });

  it('are all kept when many are accepted at once', async () => {
    const folder = path.join(temporaryFolder(), 'data');
    const writers = Array.from({ length: 4 }, () => knownToolsIn(folder));
    const accepted = writers.flatMap((known, writer) =>
      Array.from({ length: 10 }, (_, n) => known.accept(server, `act-${writer}-${n}`, spec(n))),
    );
    await Promise.all(accepted);
    expect((await knownToolsIn(folder).accepted(server)).size).toBe(40);
    expect(fs.statSync(path.join(folder, 'mcp-tools.json')).mode & 0o777).toBe(0o600);
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
  });

  it.each([
    '',
    '{}',
    'null',
    '{"format":"tacho-mcp-tools/2","tools":[]}',
    '{"format":"tacho-mcp-tools/1","tools":[{"server":"x"}]}',
  ])('are unknown if the file holds %j', async (text) => {
    const folder = temporaryFolder();
    fs.writeFileSync(path.join(folder, 'mcp-tools.json'), text);
    await expect(knownToolsIn(folder).accepted(server)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(knownToolsIn(folder).accept(server, 'act', spec(1))).rejects.toThrow('is damaged');
  });

  it('are not read through a link', async () => {
    const folder = temporaryFolder();
    fs.symlinkSync('/dev/zero', path.join(folder, 'mcp-tools.json'));
    await expect(knownToolsIn(folder).accepted(server)).rejects.toThrow();
  });
});
