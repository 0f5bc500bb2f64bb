import { useEffect, useState } from 'react';

/** The time on the wall, told anew every second while it is wanted. */
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
