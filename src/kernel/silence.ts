/** Whether an upstream responds, by the calls of this process. */
export type Silence = {
  /** Notes that a call begins. Returns what notes its end. */
  begin(): (hasResponded: boolean) => void;
  /** Whether it has been called and has responded to nothing for `afterMs`. */
  isSilent(): boolean;
};

/** Listens to an upstream. It is silent after `afterMs` without any response, until the next one. */
export function silence(afterMs: number): Silence {
  let underWay = 0;
  let sinceMs = Number.POSITIVE_INFINITY; // since when it owes a response
  return {
    begin() {
      underWay += 1;
      sinceMs = Math.min(sinceMs, performance.now());
      return (hasResponded) => {
        underWay -= 1;
        if (hasResponded) sinceMs = underWay > 0 ? performance.now() : Number.POSITIVE_INFINITY;
      };
    },
    isSilent: () => performance.now() - sinceMs >= afterMs,
  };
}

/** A client that notes whether its upstream responds. It resolves for every fault. */
export const heard =
  <Request, Reply extends { kind: string }>(
    send: (request: Request) => Promise<Reply>,
    { begin }: Pick<Silence, 'begin'>,
  ): ((request: Request) => Promise<Reply>) =>
  async (request) => {
    const end = begin();
    const reply = await send(request);
    end(reply.kind === 'response');
    return reply;
  };
