/** Runs `work` `runs` times, at most `width` at once. */
export async function manyAtOnce(runs: number, width: number, work: () => Promise<void>): Promise<void> {
  let begun = 0;
  const lane = async () => {
    while (begun < runs) {
      begun++;
      await work();
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
}
