import fc from 'fast-check';

/** JSON texts that a parser and a serializer do not give back: forms of numbers, repeated and integer-like names, escapes, white space, lone surrogates. */
const space = fc.constantFrom('', '', '', ' ', '\n  ', '\t');

const number = fc.oneof(
  fc.constantFrom(
    '0',
    '-0',
    '1.0',
    '1e2',
    '1E+2',
    '-0.0',
    '9007199254740993',
    '-9007199254740993',
    '18446744073709551615',
    '1e999',
    '0.1234567890123456789',
    '1.50',
  ),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);

const character = fc.oneof(
  fc.constantFrom('\\n', '\\u0041', '\\/', '/', '\\\\', '\\"', 'é', '🧵', '\\ud83e\\uddf5', '\\u2028', '{', '}', '[', ',', ':', ' ', '12345678901234567890'),
  fc.constantFrom(...'abcdefghi'),
);
const string = fc.array(character, { maxLength: 8 }).map((parts) => `"${parts.join('')}"`);

const name = fc.oneof(fc.constantFrom('"2"', '"1"', '"10"', '"a"', '"b"', '"a"', '"input"', '"type"', '""', '"\\u0061"'), string);

const { value } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, number, string, fc.constantFrom('true', 'false', 'null'), tie('list'), tie('object')),
  list: fc
    .tuple(fc.array(fc.tuple(space, tie('value'), space), { maxLength: 3 }), space)
    .map(([items, gap]) => `[${items.map((item) => item.join('')).join(',')}${items.length === 0 ? gap : ''}]`),
  object: objectOf(tie('value')),
}));

function objectOf(values: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const member = fc.tuple(space, name, space, fc.constant(':'), space, values, space).map((parts) => parts.join(''));
  return fc.tuple(fc.array(member, { maxLength: 5 }), space).map(([members, gap]) => `{${members.join(',')}${members.length === 0 ? gap : ''}}`);
}

/** Texts of JSON objects. */
export const jsonObjectText: fc.Arbitrary<string> = objectOf(value);
