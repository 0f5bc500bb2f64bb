import type { BrokenLine } from '../../source/archive/read-log.ts';
import { type ArchiveSource, archiveSource } from '../../source/archive-source.ts';
import { RunSession } from '../../state/run-session.ts';
import { Store } from '../../state/store.ts';

/** A run that was opened from a file. The opener must close its session. */
export interface OpenedRun {
  name: string;
  bytes: number;
  source: ArchiveSource;
  session: RunSession;
  /** Where its logs are unreadable. */
  broken: Store<readonly BrokenLine[]>;
}

export async function openRun(file: File): Promise<OpenedRun> {
  const broken = new Store<readonly BrokenLine[]>([]);
  const source = await archiveSource(file, { onBroken: (line) => broken.set([...broken.get(), line]) });
  const session = new RunSession(source);
  void session.start();
  return { name: file.name, bytes: file.size, source, session, broken };
}
