import { useEffect, useState } from 'react';

/** The current time, updated every second while it is used. */
export function useNow({ runs }: { runs: boolean }): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!runs) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [runs]);
  return now;
}
