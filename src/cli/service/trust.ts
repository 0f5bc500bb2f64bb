import fs from 'node:fs';
import {
  canHoldTrust,
  formatSource,
  formatValue,
  listTrust,
  printable,
  realFolder,
  removeTrust,
  storeTrust,
} from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { locateDataHome } from '../../runs/index.ts';
import { isInSession } from '../../terminal/index.ts';
import type { TrustOptions } from '../commands/service.ts';
import type { CommonOptions } from '../common-options.ts';
import { canAsk, confirm } from '../output/confirm.ts';
import { count } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { usage } from '../run/record-options.ts';
import { readTrustContent, type TrustContent } from './trust-content.ts';

/** `tacho trust` */
export async function trustCommand(folder: string, options: TrustOptions): Promise<void> {
  const { show, hash, list, revoke } = options;
  if ([show, hash, list, revoke].filter((given) => given !== undefined).length > 1) {
    throw usage('--show, --hash, --list and --revoke exclude each other', 'Give one of them.');
  }
  const dataFolder = locateDataHome(process.env, options.data).root;
  if (list) return printList(dataFolder, options);
  if (revoke) return revokeTrust(dataFolder, realFolder(folder), options);
  if (!fs.existsSync(folder)) {
    throw new TachoError('CWD_NOT_FOUND', `${printable(folder)} does not exist`, { facts: { folder } });
  }
  const content = readTrustContent(folder, dataFolder);
  if (hash === undefined && (show || options.json)) return print(content, options);
  refuseInSession();
  if (!canHoldTrust(dataFolder, content.folder)) throw dataInside(dataFolder, content);
  if (hash !== undefined) checkHash(hash, content);
  else if (!(await allowedByPerson(content))) return;
  const { settingsSha256: sha256, skills } = content;
  storeTrust(dataFolder, { folder: content.folder, sha256, skills: Object.fromEntries(skills) });
  const text = `${paint.green('✔ trusted')}  ${printable(content.folder)}  ${paint.dim('until one of its files changes')}\n`;
  process.stdout.write(options.json ? `${JSON.stringify({ ...factsOf(content), trusted: true })}\n` : text);
}

/** False when there is nothing to trust. */
async function allowedByPerson(content: TrustContent): Promise<boolean> {
  print(content, {});
  if (content.trusted || !needsTrust(content)) return false;
  if (!canAsk()) {
    throw new TachoError('TRUST_NEEDS_TERMINAL', 'cannot ask for confirmation: there is no terminal', {
      facts: { folder: content.folder, sha256: content.sha256 },
      fix: `Without a terminal, name the content that you have reviewed: tacho trust --hash ${content.sha256}`,
    });
  }
  if (await confirm('Trust them?')) return true;
  throw new TachoError('TRUST_REFUSED', 'not trusted; the settings and skills are ignored as before', {
    facts: { folder: content.folder },
  });
}

/** Otherwise an agent that reads our warning could grant trust itself. */
function refuseInSession(): void {
  if (!isInSession()) return;
  throw new TachoError('TRUST_REFUSED', 'a program that tacho runs cannot trust a folder', {
    fix: 'Call tacho trust in a terminal of your own.',
  });
}

function dataInside(dataFolder: string, { folder }: TrustContent): TachoError {
  return new TachoError(
    'TRUST_REFUSED',
    `the data folder is inside ${printable(folder)}, so its trust could have come with that folder`,
    {
      facts: { folder, data_folder: dataFolder },
      fix: 'Keep the data folder elsewhere (--data, TACHO_HOME), or set what you need by variables such as TACHO_ENGINES_FOLDER.',
    },
  );
}

function checkHash(hash: string, { folder, sha256 }: TrustContent): void {
  if (!/^[0-9a-f]{64}$/i.test(hash)) throw usage('--hash takes a SHA-256 of 64 digits', 'See: tacho trust --show');
  if (hash.toLowerCase() === sha256) return;
  const why = sha256 === null ? 'it sets nothing' : `its content has the hash ${sha256}`;
  throw new TachoError('TRUST_MISMATCH', `${printable(folder)} is not trusted: ${why}`, {
    facts: { folder, expected: hash.toLowerCase(), sha256 },
    fix: 'Look at what it would set now: tacho trust --show',
  });
}

function print(content: TrustContent, { json }: CommonOptions): void {
  process.stdout.write(json ? `${JSON.stringify(factsOf(content))}\n` : describe(content));
}

function needsTrust({ asksFor, skills }: TrustContent): boolean {
  return asksFor.length > 0 || skills.size > 0;
}

function describe(content: TrustContent): string {
  const { folder, sha256, trusted, asksFor, skills } = content;
  if (!needsTrust(content)) return `nothing in ${printable(folder)} needs trust\n`;
  const settings = asksFor.map(({ path, value, source }) => {
    return `  ${path} = ${printable(formatValue(value))}  ${paint.dim(`← ${formatSource(source)}`)}`;
  });
  const state = trusted ? paint.green('trusted') : paint.yellow('not trusted');
  const lines = [
    `${printable(folder)} is ${state}.${settings.length > 0 ? ` Its files ${trusted ? 'set' : 'would set'}:` : ''}`,
    ...settings,
    ...(skills.size > 0 ? [`Its skills, which agents ${trusted ? 'can' : 'could'} use:`] : []),
    ...Array.from(skills.keys(), (place) => `  ${printable(place)}`),
    `  ${paint.dim(`sha256 ${sha256}`)}`,
  ];
  return `${lines.join('\n')}\n`;
}

function factsOf({ folder, sha256, trusted, asksFor, skills }: TrustContent) {
  const settings = asksFor.map(({ path, value, source }) => ({ key: path, value, source: formatSource(source) }));
  return { folder, sha256, trusted, needs_trust: settings, skills: [...skills.keys()] };
}

function printList(dataFolder: string, { json }: CommonOptions): void {
  const entries = listTrust(dataFolder);
  const rows = entries.map(({ folder, sha256, skills = {}, trusted_at }) => {
    const hash = sha256 === null ? [] : [sha256.slice(0, 12)];
    const names = Object.keys(skills).length > 0 ? [count(Object.keys(skills).length, 'skill')] : [];
    return `${printable(folder)}  ${paint.dim([...hash, ...names, `since ${trusted_at}`].join('  '))}\n`;
  });
  const text = rows.join('') || `${count(0, 'folder')} trusted\n`;
  process.stdout.write(json ? `${JSON.stringify({ trusted: entries })}\n` : text);
}

function revokeTrust(dataFolder: string, folder: string, { json }: CommonOptions): void {
  if (!removeTrust(dataFolder, folder)) {
    throw new TachoError('NOT_FOUND', `${printable(folder)} is not trusted`, { fix: 'See: tacho trust --list' });
  }
  process.stdout.write(
    json ? `${JSON.stringify({ folder, trusted: false })}\n` : `no longer trusted: ${printable(folder)}\n`,
  );
}
