import { errnoOf } from '../../files/index.ts';
import type { ToolErrorKind } from '../../protocol/index.ts';
import { ToolFailure } from '../tool-failure.ts';

const KINDS: Readonly<Record<string, readonly [ToolErrorKind, string]>> = {
  EXDEV: ['path_outside', 'is outside of the workspace'],
  ENOENT: ['not_found', 'does not exist'],
  ENOTDIR: ['not_found', 'does not exist: a part of its path is not a folder'],
  ELOOP: ['not_found', 'is or goes through a link that cannot be followed'],
  EISDIR: ['conflict', 'is a folder'],
  ENOTEMPTY: ['conflict', 'is a folder that is not empty'],
  EEXIST: ['conflict', 'exists already'],
  EACCES: ['not_permitted', 'may not be accessed by this user'],
  EPERM: ['not_permitted', 'may not be changed by this user'],
  EROFS: ['not_permitted', 'is on a disk that is read-only'],
  ENAMETOOLONG: ['invalid_arguments', 'is too long for a path'],
  EINVAL: ['invalid_arguments', 'is not a valid path'],
};

/** Turns an error of the system about a path into a failure that a model understands. */
export function fileFailure(path: string): (error: unknown) => never {
  return (error) => {
    const errno = errnoOf(error);
    if (error instanceof ToolFailure || errno === undefined) throw error;
    const [kind, what] = KINDS[errno] ?? ['failed', `cannot be used (${errno})`];
    throw new ToolFailure(kind, `${JSON.stringify(path)} ${what}`, { data: { path }, cause: error });
  };
}
