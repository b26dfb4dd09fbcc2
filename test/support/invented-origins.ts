import { type InventedNames, latinNames } from './invented-names-latin.ts';
import { scriptNames } from './invented-names-scripts.ts';

/** A registered name and its usual spelling in Latin letters; the same text where the register uses Latin letters. */
export type WrittenName = { readonly own: string; readonly latin: string };

/** How the people of one origin are named, and how their country writes addresses. */
export type Origin = {
  readonly given: readonly WrittenName[];
  readonly family: readonly WrittenName[];
  /** The share of records in the script of the origin; the others are in Latin letters. */
  readonly scriptShare: number;
  /** The share of people with two given names. */
  readonly twoGiven: number;
  /** The share of people with two family names, and the texts between them. */
  readonly twoFamily: number;
  readonly familyJoints: readonly string[];
  /** The share of people with a single name. */
  readonly mononyms: number;
  /** A smaller number makes the commonest names more common. */
  readonly evenness: number;
  /** The form of a family name for women; the lists alternate names of men and women. */
  readonly feminine: (family: string) => string;
  /** Street addresses, with `#` for a digit, and postal codes, with `#` for a digit and `@` for a letter. */
  readonly streets: readonly string[];
  readonly postalCode: string;
  readonly localities: readonly string[];
};

type OriginForm = Partial<Omit<Origin, 'given' | 'family' | 'localities'>> & {
  readonly streets: readonly string[];
  readonly postalCode: string;
  readonly towns: string;
};

/** A slash separates the towns. */
const forms: Readonly<Record<keyof typeof latinNames | keyof typeof scriptNames, OriginForm>> = {
  english: {
    twoGiven: 0.4,
    twoFamily: 0.04,
    familyJoints: ['-'],
    streets: [
      '## Mill Lane',
      '1## High Street',
      'Flat #, 2# Station Road',
      '## Church Close',
      '## Queen Victoria Avenue',
    ],
    postalCode: '@@# #@@',
    towns: 'Leeds/Bristol/Norwich/York',
  },
  german: {
    twoGiven: 0.3,
    twoFamily: 0.05,
    familyJoints: ['-'],
    streets: ['Lindenstraße ##', 'Hauptstr. ##a', 'Am Markt #', 'Goetheplatz 1#', 'Karl-Marx-Allee 1##'],
    postalCode: '1####',
    towns: 'Berlin/Potsdam/Erfurt/Köln',
  },
  french: {
    twoGiven: 0.3,
    twoFamily: 0.04,
    familyJoints: ['-'],
    streets: ['## rue Victor Hugo', '1## boulevard Saint-Michel', '# bis place de la Gare', '## avenue Jean Jaurès'],
    postalCode: '7####',
    towns: 'Paris/Lyon/Nantes/Lille',
  },
  spanish: {
    twoGiven: 0.4,
    twoFamily: 1,
    familyJoints: [' ', ' ', ' ', ' de la ', ' y '],
    streets: ['Calle Mayor ##, #º B', 'Avenida de la Constitución ##', 'Plaza España #, #º Izq', 'Paseo del Prado 1##'],
    postalCode: '28###',
    towns: 'Madrid/Sevilla/Valencia/Zaragoza',
  },
  brazilian: {
    twoGiven: 0.5,
    twoFamily: 0.7,
    familyJoints: [' ', ' ', ' da ', ' de ', ' dos '],
    streets: ['Rua das Flores, 1##, apto #1', 'Avenida Paulista, 2###', 'Travessa São José, ##', 'Praça da Sé, 3#'],
    postalCode: '0####-###',
    towns: 'São Paulo/Recife/Belém/Curitiba',
  },
  polish: {
    twoGiven: 0.4,
    twoFamily: 0.04,
    familyJoints: ['-'],
    feminine: (family) => family.replace(/ki$/, 'ka'),
    streets: ['ul. Długa ##/1#', 'al. Jana Pawła II ##', 'os. Słoneczne #/2#', 'ul. Marszałkowska 1##'],
    postalCode: '0#-###',
    towns: 'Warszawa/Kraków/Łódź/Gdańsk',
  },
  hungarian: {
    twoGiven: 0.2,
    streets: ['Kossuth Lajos utca ##.', 'Petőfi tér #.', 'Rákóczi út ##. 2/1#.', 'Ady Endre utca ##.'],
    postalCode: '1###',
    towns: 'Budapest/Szeged/Pécs/Győr',
  },
  turkish: {
    twoGiven: 0.3,
    streets: [
      'Atatürk Caddesi No: ## D: #',
      'Gül Sokak No: #/1#',
      'İstiklal Caddesi 1##',
      'Cumhuriyet Mah. Lale Sk. No: ##',
    ],
    postalCode: '34###',
    towns: 'İstanbul/Ankara/İzmir/Bursa',
  },
  indian: {
    twoGiven: 0.15,
    mononyms: 0.08,
    streets: [
      '##/3, MG Road',
      'Flat #0#, Shanti Apartments, Station Road',
      'H. No. 4-##, Gandhi Nagar',
      'Plot ##, Sector 1#',
    ],
    postalCode: '5#####',
    towns: 'Bengaluru/Chennai/Pune/Lucknow',
  },
  yoruba: {
    twoGiven: 0.3,
    streets: ['## Allen Avenue', '1## Awolowo Road', 'Plot ##, Admiralty Way', '# Balogun Street'],
    postalCode: '10####',
    towns: 'Lagos/Ibadan/Abeokuta/Ilorin',
  },
  vietnamese: {
    twoGiven: 0.8,
    evenness: 1,
    streets: ['1## Nguyễn Trãi', '##/1# Lê Lợi', 'Số # ngõ 2#, Trần Phú', '## Hai Bà Trưng'],
    postalCode: '10####',
    towns: 'Hà Nội/Huế/Đà Nẵng/Cần Thơ',
  },
  russian: {
    scriptShare: 1,
    feminine: (family) => family.replace(/(?<=[оеё]в|ин)$/, 'а').replace(/(?<=[oe]v|in)$/, 'a'),
    streets: ['ул. Ленина, д. ##, кв. 1#', 'пр. Мира, д. 1##', 'ул. Садовая, ##', 'Невский проспект, д. ##, кв. #'],
    postalCode: '19####',
    towns: 'Москва/Казань/Самара/Омск',
  },
  hebrew: {
    scriptShare: 1,
    twoGiven: 0.15,
    streets: ['הרצל ##', 'רחוב יפו 1##', 'שדרות רוטשילד ##', 'בן יהודה ## דירה #'],
    postalCode: '6######',
    towns: 'תל אביב/חיפה/ירושלים/באר שבע',
  },
  arabic: {
    scriptShare: 0.5,
    twoGiven: 0.3,
    streets: ['## Talaat Harb Street', 'شارع الجامعة ##', '1## Avenue Habib Bourguiba', 'شارع النصر 1##'],
    postalCode: '11###',
    towns: 'القاهرة/عمان/Tunis/Rabat',
  },
  chinese: {
    scriptShare: 0.5,
    evenness: 2,
    streets: ['中山路##号#单元#02室', '人民南路1##号', 'No. ## Zhongshan Road', 'Room #0#, 2# Nanjing West Road'],
    postalCode: '2#####',
    towns: '上海/南京/Shanghai/Nanjing',
  },
  korean: {
    scriptShare: 0.5,
    evenness: 1,
    streets: ['세종대로 1##', '강남대로 ##길 1#', '##, Teheran-ro', '1##-#, Sejong-daero'],
    postalCode: '0####',
    towns: '서울/부산/Seoul/Busan',
  },
  japanese: {
    scriptShare: 0.5,
    streets: ['渋谷#丁目#番1#号', '本町##-#', '#-1#-# Shibuya', '##-# Honmachi'],
    postalCode: '15#-00##',
    towns: '東京/大阪/Tokyo/Osaka',
  },
};

/** The 17 origins by name. */
export const origins: ReadonlyMap<string, Origin> = new Map(
  Object.entries({ ...latinNames, ...scriptNames }).map(([name, names]) => [
    name,
    createOrigin(names, forms[name as keyof typeof forms]), // `forms` has an entry for each name of the two lists.
  ]),
);

function createOrigin(names: InventedNames, { towns, ...form }: OriginForm): Origin {
  return {
    scriptShare: 0,
    twoGiven: 0,
    twoFamily: 0,
    familyJoints: [' '],
    mononyms: 0,
    evenness: 6,
    feminine: (family) => family,
    ...form,
    given: readNames(names.given),
    family: readNames(names.family),
    localities: towns.split('/'),
  };
}

function readNames(list: string): WrittenName[] {
  return list.split(/\s+/).map((entry) => {
    const [own = '', latin = own] = entry.replaceAll('_', ' ').split('=');
    return { own, latin };
  });
}
