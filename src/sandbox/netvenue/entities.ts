import type { Call, Route } from '../party.ts';
import type { World } from './world.ts';

/**
 * The entities a party plays: the one it was started for, whose miner takes the party's key, and any other a call names with the
 * key `<the party's key>:<entity>`. Prices and markets are one for all.
 */
export type Entities = {
  first: World;
  all(): World[];
  byKey(key: string | undefined): World | null;
  byName(entityHotkey: string): World | undefined;
};

/** The entities of a party: those known from before, and those `open` makes on the way. */
export const openEntities = (
  { entityHotkey, minerKey }: { entityHotkey: string; minerKey: string },
  known: readonly World[],
  open: (entityHotkey: string) => World,
): Entities => {
  const worlds = new Map(known.map((world) => [world.entityHotkey, world]));
  const named = (name: string) => {
    const world = worlds.get(name) ?? open(name);
    worlds.set(name, world);
    return world;
  };
  const first = named(entityHotkey);
  return {
    first,
    all: () => [...worlds.values()],
    byKey: (key) => {
      if (key === minerKey) return first;
      return key?.startsWith(`${minerKey}:`) ? named(key.slice(minerKey.length + 1)) : null;
    },
    byName: (name) => worlds.get(name),
  };
};

/** Lets a call pass to the entity whose miner's key it bears. */
export const ofEntity =
  (entities: Entities, answer: (world: World, call: Call) => ReturnType<Route['answer']>): Route['answer'] =>
  (call) => {
    const world = entities.byKey(call.headers.authorization?.replace(/^Bearer /, ''));
    return world ? answer(world, call) : { status: 401, body: { error: 'Unauthorized access' } };
  };
