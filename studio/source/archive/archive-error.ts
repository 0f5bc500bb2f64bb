/** Why an archive cannot be shown. The page has the texts. */
export type ArchiveProblem =
  | { kind: 'not_a_zip' }
  | { kind: 'no_run' }
  | { kind: 'several_runs'; count: number }
  | { kind: 'damaged'; file: string; what: string }
  | { kind: 'newer'; format: string; known: string }
  | { kind: 'too_large'; file: string; bytes: number; most: number };

export class ArchiveError extends Error {
  readonly problem: ArchiveProblem;

  constructor(problem: ArchiveProblem, cause?: unknown) {
    super(messageOf(problem), cause === undefined ? undefined : { cause });
    this.name = 'ArchiveError';
    this.problem = problem;
  }
}

/** For panes, which show a source's message unchanged. */
function messageOf(problem: ArchiveProblem): string {
  switch (problem.kind) {
    case 'not_a_zip':
      return 'the file is not a zip archive';
    case 'no_run':
      return 'the archive holds no run';
    case 'several_runs':
      return `the archive holds ${problem.count} runs`;
    case 'damaged':
      return `${problem.file} is damaged in the archive: ${problem.what}`;
    case 'newer':
      return `the run has format ${problem.format}; this page reads ${problem.known}`;
    case 'too_large':
      return `${problem.file} is too large to be shown here (${problem.bytes} bytes)`;
  }
}
