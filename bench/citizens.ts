import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { seededIntegers } from './seeded-integers.ts';

/** An invented citizen of the bench register. */
export type BenchCitizen = {
  readonly citizenId: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly birthDate: string;
  readonly streetAddress: string;
  readonly postalCode: string;
  readonly locality: string;
  readonly email: string;
};

/** Number of citizens in the bench register: `BENCH_CITIZENS`, in every process of a run. */
export const citizenCount = Number(process.env['BENCH_CITIZENS'] ?? 100_000);

// A third of the names have characters outside ASCII, as in many registers.
const givenNames =
  'Anna Marie Lukas José Zoë Jürgen Björn Élodie Mateusz Małgorzata Søren Eva Tom Nuno Inês Peter Laura David Ángela Katarína Ahmet Gökçe Martin Ida Oskar Nina Emil Clara Jakub Hannah'.split(
    ' ',
  );
const familyNames =
  'Müller Smith Novák Jensen García Rossi Dubois Kowalski Wójcik Silva Santos Nguyễn Larsson Häkkinen Papadopoulos Ivanov Horvat Nagy Popescu Jansen Peeters Weber Fischer Bianchi Moreau Schäfer Çelik Andersen Berg Lindström Kelly Byrne Murphy Castro Ferreira Marques Schmidt Keller Baumann Moser'.split(
    ' ',
  );
const towns = 'Riverton Oldbridge Lakeside Hillsborough Newhaven Eastgate Millfield Kingsport'.split(' ');

/** The citizen with this index, the same in every process. */
export function citizenAt(index: number): BenchCitizen {
  const pick = seededIntegers(index * 2_654_435_761);
  const name = (list: readonly string[]) => list[pick(list.length)] ?? '';
  const two = (value: number) => String(value).padStart(2, '0');
  // 7919 and 100,000,000 have no common factor: each index gets a unique id, and ids are not in the order of the index.
  const citizenId = `C${String((index * 7_919 + 12_345) % 100_000_000).padStart(8, '0')}`;
  return {
    citizenId,
    givenName: pick(3) === 0 ? `${name(givenNames)} ${name(givenNames)}` : name(givenNames),
    familyName: pick(5) === 0 ? `${name(familyNames)}-${name(familyNames)}` : name(familyNames),
    birthDate: `${1930 + pick(80)}-${two(1 + pick(12))}-${two(1 + pick(28))}`,
    streetAddress: `${1 + pick(200)} ${name(familyNames)} Street`,
    postalCode: String(10_000 + pick(90_000)),
    locality: name(towns),
    email: `${citizenId.toLowerCase()}@citizens.example`,
  };
}

const header = 'citizenId,givenName,familyName,birthDate,streetAddress,postalCode,locality,email';

/** Writes the register as the CSV file that the importer reads. */
export async function writeRegister(path: string, count: number): Promise<void> {
  const file = createWriteStream(path);
  file.write(`${header}\n`);
  for (let index = 0; index < count; index += 1) file.write(`${Object.values(citizenAt(index)).join(',')}\n`);
  file.end();
  await finished(file);
}
