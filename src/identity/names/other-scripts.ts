// Phonetic alphabets: each letter, or group of letters for one sound, with its Latin spellings in up to seven systems
// (`transliteration.ts`).

/** The national system of Georgia (2002) without apostrophes, then common spellings. */
export const georgian = `
ა a
ბ b
გ g
დ d
ე e
ვ v
ზ z
თ t
ი i
კ k
ლ l
მ m
ნ n
ო o
პ p
ჟ zh zh j
რ r
ს s
ტ t
უ u
ფ p f f
ქ k
ღ gh gh g
ყ q k
შ sh
ჩ ch
ც ts
ძ dz
წ ts
ჭ ch
ხ kh kh x
ჯ j
ჰ h
`;

/** Armenian: BGN/PCGN 1981 for Eastern Armenian; the same with -ian; Western Armenian with -ian, then with -yan. */
export const armenian = `
ա a
բ b b p p
գ g g k k
դ d d t t
ե e
զ z
է e
ը y e e y
թ t
ժ zh
ի i
լ l
խ kh
ծ ts ts dz dz
կ k k g g
հ h
ձ dz dz ts ts
ղ gh
ճ ch ch j j
մ m
յ y i i y
ն n
շ sh
ո o
ու u u ou u
չ ch
պ p p b b
ջ j j ch ch
ռ r
ս s
վ v
տ t t d d
ր r
ց ts
ւ v v v v
փ p
ք k
օ o
ֆ f
և ev ev ev yev
`;

/** Armenian letters that sound different at the start of a word. */
export const armenianInitials = `
ե ye e ye e
ո vo o vo o
յ y h h y
`;

/**
 * Hangul letters (NFKD splits the syllables): Revised Romanisation (2000), common spellings of families (Young-soo, Jung), and
 * McCune-Reischauer without marks. Leading and trailing consonants are different letters.
 */
export const hangul = `
ᄀ g g k
ᄁ kk
ᄂ n
ᄃ d d t
ᄄ tt
ᄅ r l r
ᄆ m
ᄇ b b p
ᄈ pp
ᄉ s
ᄊ ss
ᄋ -
ᄌ j j ch
ᄍ jj
ᄎ ch
ᄏ k
ᄐ t
ᄑ p
ᄒ h
ᅡ a
ᅢ ae
ᅣ ya
ᅤ yae
ᅥ eo u o
ᅦ e
ᅧ yeo you yo
ᅨ ye
ᅩ o
ᅪ wa
ᅫ wae
ᅬ oe
ᅭ yo
ᅮ u oo u
ᅯ wo
ᅰ we
ᅱ wi
ᅲ yu yoo yu
ᅳ eu eu u
ᅴ ui ee ui
ᅵ i
ᆨ k
ᆩ k
ᆫ n
ᆮ t
ᆯ l
ᆷ m
ᆸ p
ᆺ t
ᆻ t
ᆼ ng
ᆽ t
ᆾ t
ᆿ k
ᇀ t
ᇁ p
ᇂ t
`;

/** Korean surnames: Revised Romanisation, then the spellings that the National Institute of the Korean Language found in passports. */
export const koreanSurnames = `
김 gim kim
이 i lee yi rhee ri
박 bak park pak
최 choe choi
정 jeong jung chung cheong
강 gang kang
조 jo cho
윤 yun yoon
장 jang chang
임 im lim yim rim
한 han hahn
오 o oh
서 seo suh
신 sin shin
권 gwon kwon
황 hwang whang
안 an ahn
송 song
류 ryu yu yoo
유 yu yoo ryu
홍 hong
전 jeon jun chun
고 go ko koh
문 mun moon
양 yang
손 son sohn
배 bae pae
백 baek paik baik
허 heo hur huh
남 nam
심 sim shim
노 no noh roh
하 ha
곽 gwak kwak
성 seong sung
차 cha
주 ju joo chu
우 u woo
구 gu koo ku
나 na ra
라 ra na
민 min
진 jin chin
지 ji chi
엄 eom um
채 chae
원 won
천 cheon chun
방 bang pang
공 gong kong
현 hyeon hyun
함 ham hahm
변 byeon byun
염 yeom yum
여 yeo
추 chu choo
도 do
석 seok suk
선 seon sun
설 seol sul
마 ma
길 gil kil
표 pyo
명 myeong myung
기 gi ki
반 ban
왕 wang
금 geum keum
옥 ok
육 yuk yook
맹 maeng
제 je
모 mo
`;

/** Hiragana by rows in Hepburn spelling, as passports use it; katakana are read the same way (`kana.ts`). */
export const kanaRows = `
あいうえお a i u e o
かきくけこ ka ki ku ke ko
がぎぐげご ga gi gu ge go
さしすせそ sa shi su se so
ざじずぜぞ za ji zu ze zo
たちつてと ta chi tsu te to
だぢづでど da ji zu de do
なにぬねの na ni nu ne no
はひふへほ ha hi fu he ho
ばびぶべぼ ba bi bu be bo
ぱぴぷぺぽ pa pi pu pe po
まみむめも ma mi mu me mo
らりるれろ ra ri ru re ro
やゆよわを ya yu yo wa o
ゃゅょん ya yu yo n
`;
