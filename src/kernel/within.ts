/** The result of work that may hang; null if it takes longer than `timeoutMs`. A bare timer: an abort costs a stack trace, each time. */
export async function within<Result>(underWay: Promise<Result>, timeoutMs: number): Promise<Result | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, null);
  });
  return Promise.race([underWay, late]).finally(() => clearTimeout(timer));
}
