/** The uuid of a message that a caller gave without one: derived from its position, so that the same input gives the same messages. */
export const positionalUuid = (index: number): string => `${index.toString(16).padStart(8, '0')}-0000-8000-8000-000000000000`;

/** Such a uuid means nothing outside its request. */
export const isPositional = (uuid: string): boolean => /^[0-9a-f]{8}-0000-8000-8000-0{12}$/.test(uuid);
