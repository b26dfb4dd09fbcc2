import assert from 'node:assert/strict';
import test from 'node:test';
import { formsOf } from '../names/normalise.ts';
import { nameLevel } from './name-level.ts';

const level = (one: string, other: string) => nameLevel(formsOf(one), formsOf(other), { particles: true });

/** Spellings of one name in Latin letters. */
const spellings: Readonly<Record<string, string>> = {
  arabic:
    'Mohamed = Muhammad = Mohammed = Mohammad | Ahmed = Ahmad | Hussein = Husayn = Hossein = Hussain = Husain | Abdulrahman = Abd al-Rahman = Abdurrahman = Abdel Rahman = Abdelrahman | Youssef = Yusuf = Yousef | Karim = Kareem | Khaled = Khalid | Said = Saeed | Omar = Umar | Fatima = Fatimah = Fatma | Aisha = Ayesha = Aicha | Nour = Noor = Nur | Jamal = Gamal = Djamal | Abdullah = Abdallah = Abdulla | El-Masri = Almasri = Al Masry | Al Sudais = As-Sudais | Hassan = Hasan | Mahmoud = Mahmud | Mustafa = Moustafa = Mostafa | Rashid = Rasheed | Tariq = Tarek = Tarik | Layla = Leila = Laila | Zaynab = Zeinab = Zainab | Khadija = Khadijah | Osman = Uthman = Othman | Rezaei = Rezai | Yasin = Yassine = Yaseen | Amin = Ameen | Qasim = Kassem = Qassem | Ibrahim = Ebrahim = Ibraheem | Jaafar = Jafar | Shaikh = Sheikh | Maryam = Mariam | Hadi = Hady | Iman = Eman | Nadia = Nadya | Samira = Sameera | Abdelaziz = Abdul Aziz | Haidar = Haydar = Heidar | Suleiman = Sulayman = Soliman | Bilal = Belal',
  chinese:
    'Zhang = Chang = Cheung | Chen = Chan | Wang = Wong | Li = Lee | Lin = Lam | Huang = Wong | Zhou = Chow = Chou | Wu = Ng | Xu = Hsu = Hui | Liu = Lau | Guo = Kuo = Kwok | Cai = Tsai = Choi | Xie = Hsieh = Tse | Zhao = Chao = Chiu | Zhu = Chu | Ye = Yeh = Yip | Zheng = Cheng | Liang = Leung | Deng = Teng | Gao = Kao = Ko | Xiaoming = Hsiao-ming = Siu Ming | Zhiming = Chih-Ming = Chi Ming | Jianhong = Chien-hung = Kin Hung | Meiling = Mei-ling | Junjie = Chun-chieh = Chun Kit | Yating = Ya-ting | Jiahao = Chia-hao = Ka Ho | Zhiwei = Chih-wei = Chi Wai | Shufen = Shu-fen = Suk Fan | Weiming = Wei-ming = Wai Ming | Lyu = Lü = Lv = Lu | Guoqiang = Kuo-chiang = Kwok Keung | Xiuying = Hsiu-ying = Sau Ying | Dawei = Ta-wei = Tai Wai | Jiang = Chiang | Qian = Chien = Chin | Yang = Yeung | Luo = Lo | Song = Sung | He = Ho | Sun = Suen | Feng = Fung | Xiao = Hsiao = Siu | Yizhen = Yi-chen | Jingyi = Ching-yi | Huimin = Hui-min = Wai Man | Zhihao = Chih-hao = Chi Ho',
  korean:
    'Lee = Yi = Rhee = Ri | Park = Pak = Bak | Kim = Gim | Choi = Choe | Jung = Jeong = Chung | Cho = Jo | Kang = Gang | Yoon = Yun | Shin = Sin | Lim = Im = Rim | Noh = No = Roh | Yoo = Yu = Ryu | Jeon = Jun = Chun | Hyunwoo = Hyun-woo = Hyeonu | Minjun = Min-joon | Jihoon = Ji-hun = Jihun | Youngsoo = Young-soo = Yeongsu | Seoyeon = Seo-yeon = Seoyun | Kyunghee = Gyeonghui = Kyung-hee | Jiwoo = Ji-u | Sunghoon = Seonghun = Sung-hun | Eunji = Eun-jee | Jaehyun = Jae-hyeon | Donghyun = Dong-hyeon | Cheolsu = Chulsoo = Chul-soo | Huh = Heo = Hur | Seo = Suh | Moon = Mun | Koo = Gu = Ku',
  german:
    'Müller = Mueller = Muller | Meier = Meyer = Maier = Mayer | Schmidt = Schmitt | Philipp = Philip = Filip | Sophie = Sofie | Katharina = Catarina = Katarina | Stephan = Stefan | Günther = Gunter = Guenther = Günter | Schäfer = Schaefer = Schafer | Walther = Walter | Jürgen = Juergen = Jurgen | Thorsten = Torsten | Claudia = Klaudia | Schulz = Schultz | Hoffmann = Hofmann | Bäcker = Baecker | Becker = Bekker | Friedrich = Fridrich | Elisabeth = Elizabeth | Matthias = Mathias | Christian = Kristian | Jakob = Jacob | Viktor = Victor | Carl = Karl | Clara = Klara | Krüger = Krueger | Weiß = Weiss | Kaiser = Kayser | Schröder = Schroeder = Schroder | Marc = Mark | Ralf = Ralph | Detlef = Detlev | Jens = Jens | Björn = Bjoern = Bjorn | Rudolf = Rudolph | Josef = Joseph | Oskar = Oscar | Erik = Eric | Thea = Tea',
  english:
    'Stephen = Steven | Catherine = Katherine | Philip = Phillip | Sara = Sarah | Smith = Smyth | Brian = Bryan | Allan = Alan | Eric = Erik | Rebecca = Rebekah | Teresa = Theresa | Anthony = Antony | Hannah = Hanna | Elizabeth = Elisabeth | Isabel = Izabel | Sophia = Sofia | Nicolas = Nicholas | Marc = Mark | Christina = Kristina | Deborah = Debora | Mathew = Matthew | Alison = Allison | Tracy = Tracey | Kelly = Kelley | Megan = Meghan | Jackson = Jaxon',
  asian:
    'Choudhury = Chowdhury = Chaudhary = Choudhary = Chaudhry | Sharma = Sarma | Lakshmi = Laxmi = Lakshmy | Singh = Sing | Mukherjee = Mukherji | Banerjee = Bannerjee = Banerji | Agarwal = Aggarwal | Pooja = Puja | Geeta = Gita | Deepak = Dipak | Krishnan = Krisnan | Vishwanath = Viswanath = Vishvanath | Gupta = Guptha | Dinesh = Dinesh | Shrivastava = Srivastava | Reddy = Reddi | Natthaphong = Nattapong | Somchai = Somchay | Jaidee = Jaidi | Rajesh = Rajeesh | Kumar = Kumaar | Sunil = Suneel | Saurav = Sourav | Rahman = Rehman | Hussain = Hossain | Swaminathan = Svaminathan | Jyoti = Jyothi | Anjali = Anjaly | Sandeep = Sandip',
  slavic:
    'Yuri = Juri = Yury = Iurii = Yuriy | Sergey = Serhii = Sergei = Sergej | Ivanov = Ivanoff = Iwanow | Aleksandr = Alexander = Alexandr | Dmitry = Dmitrii = Dmitriy | Yevgeny = Evgeny = Evgenii | Yulia = Julia = Iuliia = Yuliya | Natalia = Natalya = Nataliya = Natalja | Tatiana = Tatyana = Tatjana | Yekaterina = Ekaterina = Jekaterina | Aleksei = Alexey = Alexei | Vladimir = Wladimir | Andrei = Andrey = Andrej = Andriy | Oleg = Oleh | Nikolai = Nikolay = Nikolaj | Kuznetsov = Kusnezow | Petrov = Petroff | Yelena = Elena = Jelena | Ilya = Ilia = Ilja | Maksim = Maxim | Aliyev = Aliev | Shevchenko = Schewtschenko | Viktor = Victor | Liudmila = Lyudmila | Bogdan = Bohdan | Grigory = Grigorii | Zaitsev = Zaytsev | Svetlana = Swetlana | Olha = Olga | Mykhailo = Mykhaylo',
  japan:
    "Sato = Satou = Satoh | Ono = Ohno = Oono | Shimizu = Simizu | Yuko = Yuuko | Taro = Tarou = Taroh | Junichi = Jun'ichi = Zyunichi | Homma = Honma | Shota = Syota = Shouta | Ito = Itoh = Itou | Kenji = Kenzi | Tsuda = Tuda",
  ethio:
    'Tewodros = Teodros | Rəşad = Rashad | Haile Selassie = Haileselassie | Kassahun = Kasahun | Yohannes = Yohanes',
};

for (const [origin, names] of Object.entries(spellings)) {
  test(`${origin}: spellings of one name agree with each other`, () => {
    for (const group of names.split(' | ').map((line) => line.split(' = '))) {
      for (const one of group) {
        for (const other of group) {
          const found = level(one, other);
          assert.ok(found === 'normalised' || found === 'transliterated', `${one} / ${other}: ${found}`);
        }
      }
    }
  });
}

test('different common names do not agree as spellings of one name', () => {
  const pairs =
    'Maria/Mario Alyssa/Elisa Elijah/Eliza Lois/Louis Haylee/Helene Delia/Delilah Jan/Jana Anna/Anne Karl/Karla Li/Lu Wang/Huang Jan/Ian Marie/Mary Lena/Lina Jamal/Jamil Karim/Karima Amin/Amina Mahmoud/Mohamed Hassan/Hussein Ali/Ala Wang/Fang Zhang/Jiang Chen/Cheng Lin/Ling Kim/Kang Min-jun/Min-ju Minji/Minju Jisoo/Jiwoo Daniel/Daniela Andrea/Andreas Martin/Martina Nina/Nino Ivan/Ivana Sara/Zara Tina/Dina Michael/Michelle Christian/Christine Christian/Christina Robert/Roberta Paul/Paula Petr/Petra Simon/Simone Sharma/Sharman Wei/Wen Xu/Zhu Wu/Hu Zhou/Zhao Zhao/Cao Xiaoming/Xiaohong Jing/Jin Marco/Marc Julian/Juliane Julia/Julian Olga/Oleg Alexander/Alexandra Aleksandr/Aleksandra Viktor/Viktoria Yuri/Yura Luca/Lucia Nikolai/Nikola Tomas/Tamas Mehmet/Ahmet Fatih/Fatma Aylin/Ayten Rahim/Rahman Samir/Samira Omar/Amir Amar/Umar Lee/Liu Park/Baek Choi/Cho Jung/Jang Yoon/Yang Han/Hong Shin/Shim Peter/Petra Karin/Karen Kerstin/Kirsten Jonas/Johannes Anders/Andreas Hans/Hannes Jens/Jan Becker/Bauer Weber/Wagner Hao/Hou Dan/Dana';
  for (const pair of pairs.split(' ')) {
    const [one = '', other = ''] = pair.split('/');
    for (const found of [level(one, other), level(other, one)])
      assert.ok(found !== 'normalised' && found !== 'transliterated', `${pair}: ${found}`);
  }
});
