/** Mutants that the tests are known to notice, by area. The list may only grow; `npm run mutants` says what to add. */
export const FLOOR: Readonly<Record<string, readonly string[]>> = {
  'direct turns': [
    'leases of direct turns are never renewed',
    'leases of direct turns are renewed after they have ended',
    'a turn that has ended keeps its room',
    'a reservation that led to nothing keeps its room',
    'a reservation is never given back',
    'the queue gets no room while turns run without it',
    'the room of a turn is not given back to the queue',
    'a turn of the queue keeps its room',
  ],
  turns: ['a request without an answer is not abandoned'],
};

export const isInFloor = (area: string, name: string): boolean => FLOOR[area]?.includes(name) ?? false;
