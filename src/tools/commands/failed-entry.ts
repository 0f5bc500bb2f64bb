/** Why a program never began. Nothing but bubblewrap has written to stderr then. */
export function explainFailedEntry(
  stderr: string,
  program: string,
): { denied: string } | { message: string; exitCode: number } {
  const text = stderr.trim();
  const reason = /(?:^|\n)bwrap: execvp .*: ([^:\n]+)$/.exec(text)?.[1];
  if (reason === undefined)
    return { denied: `the sandbox could not be started: ${text || 'bubblewrap gave no reason'}` };
  const missing = reason === 'No such file or directory';
  return {
    message: missing ? `${program} is not there, or not visible in the sandbox` : `${program}: ${reason}`,
    exitCode: missing ? 127 : 126,
  };
}
