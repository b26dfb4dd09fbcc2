/** The invented citizens of the demo, in the form of an import, with names in several scripts. */
export const demoCitizens = [
  demoCitizen('demo-eleni', ['Ελένη', 'Παπαδοπούλου'], '1990-02-03', {
    language: 'el',
    locality: 'Αθήνα',
    postalCode: '105 57',
  }),
  demoCitizen('demo-oleksandr', ['Олександр', 'Шевченко'], '1984-11-21', {
    language: 'uk',
    locality: 'Київ',
    postalCode: '01001',
  }),
  demoCitizen('demo-layla', ['ليلى', 'الحداد'], '1995-07-30', {
    language: 'ar',
    locality: 'عمّان',
    postalCode: '11118',
  }),
  demoCitizen('demo-weimin', ['伟民', '陈'], '1978-05-09', { language: 'zh', locality: '上海', postalCode: '200001' }),
  demoCitizen('demo-haruka', ['遥', '佐藤'], '2001-12-24', {
    language: 'ja',
    locality: '東京',
    postalCode: '100-0001',
  }),
  demoCitizen('demo-anh', ['Ánh Nguyệt', 'Nguyễn'], '1988-08-08', {
    language: 'vi',
    locality: 'Hà Nội',
    postalCode: '100000',
  }),
  demoCitizen('demo-sigridur', ['Sigríður', 'Jónsdóttir'], '1969-01-17', {
    language: 'is',
    locality: 'Reykjavík',
    postalCode: '101',
  }),
  demoCitizen('demo-joao', ['João Maria', 'dos Santos Conceição'], '1957-03-31', {
    language: 'pt',
    locality: 'Lisboa',
    postalCode: '1100-148',
  }),
  demoCitizen('demo-aine', ['Áine', "O'Brien-Ní Dhomhnaill"], '1993-10-05', {
    language: 'ga',
    locality: 'Gaillimh',
    postalCode: 'H91 A2CD',
  }),
  demoCitizen('demo-juergen', ['Jürgen', 'Müller-Groß'], '1972-06-12', {
    language: 'de',
    locality: 'Köln',
    postalCode: '50667',
  }),
  demoCitizen('demo-lukasz', ['Łukasz', 'Wiśniewski'], '1999-09-14', {
    language: 'pl',
    locality: 'Gdańsk',
    postalCode: '80-831',
  }),
  demoCitizen('demo-aarav', ['आरव', 'शर्मा'], '2004-04-01', { language: 'hi', locality: 'जयपुर', postalCode: '302001' }),
  demoCitizen('demo-mary', ['Mary', 'Smith'], '1981-04-25', {
    language: 'en',
    locality: 'Bristol',
    postalCode: 'BS1 4ST',
  }),
  demoCitizen('demo-suharti', ['', 'Suharti'], '1966-02-28', {
    language: 'id',
    locality: 'Yogyakarta',
    postalCode: '55111',
  }),
] as const;

type DemoAddress = { readonly language: string; readonly locality: string; readonly postalCode: string };

function demoCitizen(
  citizenId: string,
  [givenName, familyName]: readonly [string, string],
  birthDate: string,
  home: DemoAddress,
) {
  return { citizenId, givenName, familyName, birthDate, ...home, email: `${citizenId}@citizens.example` };
}

/** A document of the demo. It is plain text, so that the printed command shows it in a shell. */
export type DemoDocument = {
  readonly citizenId: string;
  readonly title: string;
  readonly kind: string;
  readonly text: string;
};

/** The documents that the demo deposits. */
export const demoDocuments: readonly DemoDocument[] = [
  {
    citizenId: 'demo-eleni',
    title: 'Building permit 2026/118',
    kind: 'permit',
    text: 'BUILDING PERMIT 2026/118\n\nIssued to Ελένη Παπαδοπούλου.\nOne garden shed, up to 12 square metres.\n',
  },
  {
    citizenId: 'demo-layla',
    title: 'شهادة ميلاد',
    kind: 'certificate',
    text: 'BIRTH CERTIFICATE\n\nليلى الحداد\n1995-07-30, عمّان\n',
  },
  {
    citizenId: 'demo-mary',
    title: 'Notice of assessment 2025',
    kind: 'notice',
    text: 'NOTICE OF ASSESSMENT 2025\n\nMary Smith\nNothing is owed. Nothing is to be done.\n',
  },
];
