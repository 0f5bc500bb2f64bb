import { createContext, type ReactNode, useContext } from 'react';
import type { Client } from '../../src/client/index.ts';

const ClientContext = createContext<Client | null>(null);

export function ClientProvider({ client, children }: { client: Client; children: ReactNode }) {
  return <ClientContext value={client}>{children}</ClientContext>;
}

/** The server; null on a page without one, such as an opened archive. */
export function useClient(): Client | null {
  return useContext(ClientContext);
}
