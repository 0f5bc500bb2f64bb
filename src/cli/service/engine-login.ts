import os from 'node:os';
import { type SignInFacts, TachoError } from '../../protocol/index.ts';
import { copyOwnSignIn, loginEngine, type RunContext, requireEngine } from '../../runs/index.ts';
import type { LoginOptions } from '../commands/engines.ts';
import { openContext } from '../context.ts';
import { canAsk, confirm } from '../output/confirm.ts';
import { paint } from '../output/paint.ts';
import { usage } from '../run/record-options.ts';

type Profile = ReturnType<typeof requireEngine>;

/** `tacho engines login`: by the engine's own sign-in, or with a copy of the user's. */
export async function loginCommand(name: string, words: readonly string[], options: LoginOptions): Promise<void> {
  const context = openContext(options);
  const profile = requireEngine(name, context);
  if (profile.signIn === null) throw usage(`${profile.title} needs no sign-in`, `Start it: tacho run ${name} "…"`);
  const facts = options.fromHome
    ? await copyFromHome(profile, words, options, context)
    : await signIn(profile, words, context);
  if (facts === null) {
    process.stdout.write('Nothing was copied.\n');
    process.exitCode = 1;
    return;
  }
  const text = options.json ? JSON.stringify({ engine: name, ...facts }) : describe(name, facts);
  process.stdout.write(`${text}\n`);
}

interface Login {
  sign_in: SignInFacts;
  /** Files that were copied. */
  files?: string[];
}

function describe(name: string, { sign_in, files = [sign_in.name!] }: Login): string {
  if (sign_in.state === 'yes') {
    return `${paint.green('✔')} ${name} is signed in ${paint.dim(`(${files.join(', ')} in the managed home)`)}`;
  }
  return `The sign-in of ${name} ended; whether it is signed in depends on its settings (${sign_in.name}).`;
}

/** Null when the user did not agree. */
async function copyFromHome(
  profile: Profile,
  words: readonly string[],
  options: LoginOptions,
  context: RunContext,
): Promise<Login | null> {
  if (words.length > 0)
    throw usage('--from-home starts no program, so it takes no arguments', 'Leave one of them out.');
  if (!options.yes && !(await isAgreed(profile))) return null;
  const files = copyOwnSignIn(profile, context);
  return { sign_in: { state: 'yes', by: 'managed_home', name: files[0]! }, files };
}

async function isAgreed({ title, credentialFiles }: Profile): Promise<boolean> {
  if (!canAsk()) {
    throw usage(
      'cannot ask for consent: there is no terminal',
      'Add --yes to copy your credentials without a question.',
    );
  }
  process.stdout.write(
    `This copies ${credentialFiles.join(', ')} from ${os.homedir()} into the managed home, as far as they are there.\n` +
      `Every run of an engine or of a command with --isolate can read them there.\n`,
  );
  return confirm(`Copy the credentials of ${title}?`);
}

async function signIn(profile: Profile, words: readonly string[], context: RunContext): Promise<Login> {
  const { name, title, signIn: known } = profile;
  const login = words.length > 0 ? words : known!.login;
  if (login === null) {
    const variable = known!.variables[0];
    throw usage(
      `tacho does not know how to sign in to ${title}`,
      `Use ${variable === undefined ? '' : `${variable}, `}--from-home, or its own arguments: tacho engines login ${name} -- <arguments>`,
    );
  }
  if (words.length === 0 && !canAsk()) {
    throw new TachoError('SIGN_IN_FAILED', `the sign-in of ${title} needs a terminal`, {
      facts: { engine: name },
      fix: `Without one, set ${known!.variables[0] ?? 'a key'}, or copy your own sign-in: tacho engines login ${name} --from-home --yes`,
    });
  }
  if (words.length === 0 && known!.hint) process.stderr.write(`${paint.dim(known!.hint)}\n`);
  return { sign_in: await loginEngine(profile, login, context) };
}
