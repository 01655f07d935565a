/** Passwords of eight characters and more that lists of leaked ones begin with, in lower case. Shorter ones the contract refuses. */
export const commonPasswords: ReadonlySet<string> = new Set(
  `
  password password1 password12 password123 password1234 password12345 password2 password3 password! password1! p@ssw0rd
  p@ssword passw0rd pa55word pa$$word p4ssw0rd passwort passwords passport mypassword thepassword yourpassword newpassword
  oldpassword nopassword changeme changeme1 changeme123 changeit letmein1 letmein12 letmein123 letmein! welcome1 welcome12
  welcome123 welcome1! welcome2 welcome01 administrator administrator1 admin123 admin1234 admin12345 admin@123 adminadmin
  rootroot root1234 toor1234 superuser superman superman1 batman123 spiderman ironman1 default1 guest123 test1234 testtest
  testing1 testing123 temp1234 temporary secret123 secret1234 topsecret trustno1 iloveyou iloveyou1 iloveyou2 iloveyou!
  iloveu123 ilovegod ilovejesus iloveyou123 loveyou1 lovelove lovely123 lovers123 loveme123 sunshine sunshine1 princess
  princess1 princess123 football football1 football123 baseball baseball1 basketball softball volleyball hockey123 soccer123
  cheerleader liverpool liverpool1 arsenal1 arsenal123 chelsea1 chelsea123 manchester manunited barcelona realmadrid
  juventus1 bayern123 steelers cowboys1 packers1 yankees1 redsox123 lakers123 michael1 michael123 jennifer jennifer1 jessica1
  jordan23 michelle michelle1 danielle charlie1 charlie123 nicholas jonathan benjamin alexander alexandra elizabeth
  stephanie samantha veronica victoria patricia margaret caroline catherine christian christine christopher anthony1
  andrew123 joshua123 matthew1 matthew123 daniel123 thomas123 robert123 william1 brandon1 justin123 samsung1 samsung123
  computer computer1 computer123 internet internet1 explorer microsoft windows1 windows10 google123 facebook facebook1
  linkedin linkedin1 twitter1 instagram snapchat youtube1 whatsapp minecraft minecraft1 pokemon1 pokemon123 nintendo
  playstation xbox3600 starwars starwars1 startrek godzilla gandalf1 frodo123 hobbit123 dragon12 dragon123 dragonball
  dragonfire master123 master12 mastermind monkey12 monkey123 shadow12 shadow123 ranger123 hunter12 hunter123 killer12
  killer123 diamond1 diamonds platinum goldfish butterfly butterfly1 elephant dolphin1 dolphins blackcat panther1 tigger123
  scooby123 snoopy123 garfield mickey123 mickeymouse tinkerbell cinderella rapunzel pikachu1 flower123 flowers1 blossom1
  rainbow1 rainbow123 summer12 summer123 summer2020 summer2021 summer2022 summer2023 summer2024 summer2025 winter12 winter123
  winter2020 winter2021 winter2022 winter2023 winter2024 winter2025 spring2020 spring2021 spring2022 spring2023 spring2024
  spring2025 autumn2023 autumn2024 autumn2025 monday123 friday13 friday123 january1 february september september1 november
  december december1 birthday birthday1 christmas christmas1 halloween thanksgiving chocolate chocolate1 cookie123
  cupcake1 cheese123 strawberry blueberry pineapple banana123 orange123 cherry123 apple1234 pepper123 ginger123 buttercup
  sweetheart sweetheart1 babygirl babygirl1 babyboy1 prettygirl angel123 angels123 angelina heavenly jesus123 jesuschrist
  jesusislord godisgood blessed1 blessing1 faith123 hallelujah freedom1 freedom123 america1 american1 canada123 australia
  scotland england1 london123 newyork1 paris123 california florida1 texas123 hawaii50 mustang1 mustang123 corvette
  ferrari1 porsche1 mercedes mercedes1 yamaha123 harley123 motorola nokia123 iphone123 blackberry blink182 metallica
  metallica1 nirvana1 slipknot1 greenday1 eminem123 beatles1 rockstar rockstar1 rock4life guitar123 music123 musiclover
  dancing1 swimming runner123 cooking1 travel123 adventure forever1 forever21 friends1 friends123 friendship bestfriend
  bestfriends family123 familyfirst mother123 mommy123 daddy123 daddysgirl brother1 sister123 grandma1 nothing1 whatever
  whatever1 whocares unknown1 anything something everything remember1 qwertyui qwertyuiop qwerty12 qwerty123 qwerty1234
  qwerty12345 qwerty123456 qwerty1! qwertyu1 qwert123 qwert12345 qwer1234 qweqweqwe qweasdzxc qweasd123 qazwsxedc qazwsx123
  qazwsx12 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 zaq12wsx
  zaq1zaq1 zaq1xsw2 zxcvbnm1 zxcvbnm123 zxcvbnm, asdfghjk asdfghjkl asdfasdf asdf1234 asdfgh123 asdasdasd asd123456 aqwzsx123
  azertyuiop azerty123 abcd1234 abcd12345 abc12345 abc123456 abcdefgh abcdefghi abcdefg1 abcabcabc a1b2c3d4 a1b2c3d4e5
  a1234567 a12345678 a123456789 aa123456 aa12345678 aaa123456 abc123abc aaaa1111 q1234567 q12345678 z1234567 123456789a
  12345678a 1234567a 123456aa 123456ab 12345abc 123abc123 1234abcd 1234qwer 12345qwert 123qweasd 123qwe123 123456qwerty
  12345678 123456789 1234567890 12345678910 123456789123 0123456789 01234567 012345678 123123123 12341234 123454321
  1234554321 123321123 12344321 1234567891 11111111 1111111111 11112222 11223344 1122334455 12121212 123456654321
  147258369 147852369 159357456 159753456 741852963 789456123 963852741 987654321 9876543210 987654321a 98765432 87654321
  76543210 10203040 13579246 19191919 20202020 21212121 23232323 24682468 31415926 55555555 66666666 77777777 88888888
  99999999 00000000 69696969 12312312 20012001 19871987 19901990 19921992 20002000 31121999 01011980 01011990 01012000
  01012001 12345679 123456780 1234567899 fuckyou1 fuckyou2 fuckyou123 fuckoff1 asshole1 bullshit bitch123 sexy1234 sexybitch
  hello123 hello1234 helloworld hellokitty hellohello hello12345 goodbye1 goodluck goodlife happy123 happyday smile123
  success1 success123 winner123 champion champion1 number11 lucky123 lucky777 luckyone money123 moneymoney bitcoin1
  bitcoin123 ethereum ethereum1 crypto123 cryptocurrency tothemoon hodl1234 lamborghini trading1 trading123 trader123
  millionaire business business1 company1 company123 manager1 marketing sales123 finance1 security security1 security123
  access14 access123 database server123 network1 router123 cisco123 oracle123 mysql123 postgres postgres1 redhat123 linux123
  ubuntu123 raspberry arduino1 developer developer1 hacker123 matrix123 neo12345 trinity1 morpheus phoenix1 phoenix123
  mercury1 jupiter1 universe starlight moonlight midnight midnight1 darkness shadow1234 nightmare vampire1 zombie123
  skywalker darthvader chewbacca stargate farscape gateway1 thunder1 lightning hurricane tornado1 blizzard warcraft
  worldofwarcraft counterstrike callofduty fortnite fortnite1 roblox123 overwatch leagueoflegends hardcore deathnote
  naruto123 sasuke123 sakura123 inuyasha onepiece qwe123456 qwe123qwe asd123asd zxc123456 zxc123zxc 1a2b3c4d 1a2b3c4d5e
  aaaaaaaa bbbbbbbb zzzzzzzz xxxxxxxx abababab mnbvcxz1 lkjhgfdsa poiuytrewq 0987654321 09876543 0p9o8i7u !qaz2wsx !qaz@wsx
  `
    .trim()
    .split(/\s+/),
);
