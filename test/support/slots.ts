import { type DbSession, type IntentDatabase, item, type Row } from './intent-database.ts';

/** What tests of the slots of one upstream, `miner:x`, do in a database of intents. */
export function slotsOf(opened: () => IntentDatabase) {
  const begin = async (
    id: string,
    fence: number,
    { slots = 2, session = opened(), claims = false }: { slots?: number; session?: DbSession; claims?: boolean } = {},
  ) => {
    const [row] = await session.query<{ begun: string }>(
      `select begin_sending_within($1, $2, '{}', 'miner:x', $3, 30, claims => $4) as begun`,
      [id, fence, slots, claims],
    );
    return row?.begun;
  };
  const claimed = async (more: { owner?: string } = {}): Promise<Row> => {
    const one = item(more);
    await opened().accept(one);
    await opened().finishJobs(one.id);
    return (await opened().claim(one.id)) as Row;
  };
  /** Accepted one after the other, claimed, and about to be sent. */
  const arrive = async (count: number) => {
    const begun: { id: string; fence: number; was: string | undefined }[] = [];
    for (let n = 0; n < count; n++) {
      const { id, fence } = await claimed();
      begun.push({ id, fence, was: await begin(id, fence) });
    }
    return begun;
  };
  const queuedNow = async () =>
    (await opened().jobs()).filter(({ in_ms }) => in_ms <= 0).map(({ intent_id }) => intent_id);
  return { begin, claimed, arrive, queuedNow };
}
