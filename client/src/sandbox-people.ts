/**
 * The attributes of a person, as the claims of a PID in the format SD-JWT VC (PID Rulebook 1.7, section 4.1). A PID of the sandbox has a
 * nationality and a place of birth, which the register of the demo does not have.
 */
export type PidAttributes = {
  readonly given_name?: string;
  readonly family_name: string;
  readonly birthdate: string;
  readonly place_of_birth: { readonly locality: string; readonly country: string };
  readonly nationalities: readonly string[];
  readonly address: Readonly<Record<string, string>>;
  readonly issuing_country: string;
  readonly issuing_authority: string;
  readonly personal_administrative_number: string;
};

/** The id, given name, family name, birth date, country, town, postal code and street of each person. A test compares them with the demo. */
const people = `
demo-eleni,Ελένη,Παπαδοπούλου,1990-02-03,GR,Αθήνα,105 57
demo-oleksandr,Олександр,Шевченко,1984-11-21,UA,Київ,01001
demo-layla,ليلى,الحداد,1995-07-30,JO,عمّان,11118
demo-weimin,伟民,陈,1978-05-09,CN,上海,200001
demo-haruka,遥,佐藤,2001-12-24,JP,東京,100-0001
demo-anh,Ánh Nguyệt,Nguyễn,1988-08-08,VN,Hà Nội,100000
demo-sigridur,Sigríður,Jónsdóttir,1969-01-17,IS,Reykjavík,101
demo-joao,João Maria,dos Santos Conceição,1957-03-31,PT,Lisboa,1100-148
demo-aine,Áine,O'Brien-Ní Dhomhnaill,1993-10-05,IE,Gaillimh,H91 A2CD
demo-juergen,Jürgen,Müller-Groß,1972-06-12,DE,Köln,50667
demo-lukasz,Łukasz,Wiśniewski,1999-09-14,PL,Gdańsk,80-831,ul. Wymyślona 14
demo-aarav,आरव,शर्मा,2004-04-01,IN,जयपुर,302001
demo-mary,Mary,Smith,1981-04-25,GB,Bristol,BS1 4ST
demo-suharti,,Suharti,1966-02-28,ID,Yogyakarta,55111
`;

/** The people of the demo, with the attributes that its register has. The id of a person is the citizen id. */
export const sandboxPeople: ReadonlyMap<string, PidAttributes> = new Map(
  people
    .trim()
    .split('\n')
    .map((line) => line.split(','))
    .map(([id = '', ...values]) => [id, attributesOf(id, values)]),
);

function attributesOf(id: string, values: readonly string[]): PidAttributes {
  const [givenName = '', familyName = '', birthdate = '', country = '', locality = '', postalCode = '', street] =
    values;
  return {
    ...(givenName === '' ? {} : { given_name: givenName }),
    family_name: familyName,
    birthdate,
    place_of_birth: { locality, country },
    nationalities: [country],
    address: {
      ...(street === undefined ? {} : { street_address: street }),
      postal_code: postalCode,
      locality,
      country,
    },
    issuing_country: 'UT',
    issuing_authority: 'Sandbox of citizen-services',
    personal_administrative_number: `UT-${id}`,
  };
}
