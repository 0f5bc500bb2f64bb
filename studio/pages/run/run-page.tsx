import { useEffect, useState } from 'react';
import { serverSource } from '../../source/server-source.ts';
import { useClient } from '../../state/client.tsx';
import { RunSession } from '../../state/run-session.ts';
import { RunStudio } from './run-studio.tsx';

/** A run on the server. */
export function RunPage({ id }: { id: string }) {
  const client = useClient()!;
  const [session, setSession] = useState<RunSession | null>(null);
  useEffect(() => {
    const opened = new RunSession(serverSource(client, id));
    void opened.start();
    setSession(opened);
    return () => opened.close();
  }, [client, id]);
  return session && <RunStudio session={session} />;
}
