/** Whether a path is the folder or lies in it; both absolute and without `..`. */
export function isInside(target: string, folder: string): boolean {
  return target === folder || target.startsWith(folder === '/' ? '/' : `${folder}/`);
}
