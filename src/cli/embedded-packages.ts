import { createRequire } from 'node:module';
import path from 'node:path';
import { embeddedList, embeddedName, readEmbedded } from '../config/embedded-files.ts';
import { TachoError } from '../protocol/index.ts';
import { unpackFiles, unpackPlaces } from './unpack-files.ts';

let made: NodeJS.Require | null = null;

/** Resolves packages embedded in the single executable; unpacks them on the first call. */
export function embeddedRequire(): NodeJS.Require {
  made ??= createRequire(path.join(unpackPackages(), 'packages.js'));
  return made;
}

/** The build replaces `import 'koffi'` and similar imports with this. */
export function loadEmbedded(name: string): unknown {
  const find = embeddedRequire();
  try {
    return find(name);
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new TachoError('PLATFORM_UNSUPPORTED', `${name}, a native part of tacho, cannot be loaded: ${reason}`, {
      facts: { package: name, folder: path.dirname(find.resolve(name)) },
      cause,
      fix: 'If a library is missing, install it; if its folder is on a disk without programs, set XDG_CACHE_HOME to another.',
    });
  }
}

function unpackPackages(): string {
  const { packages, packages_hash: hash } = embeddedList()!;
  return unpackFiles(
    { hash, files: packages, read: (name) => readEmbedded(embeddedName.package(name)) },
    unpackPlaces(process.env),
  );
}
