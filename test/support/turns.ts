/** The result of a piece of work, and how often the process could do other work meanwhile. */
export async function turnsDuring<Result>(work: () => Promise<Result>): Promise<{ result: Result; turns: number }> {
  let turns = 0;
  const count = () => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const result = await work();
  clearImmediate(counting);
  return { result, turns };
}
