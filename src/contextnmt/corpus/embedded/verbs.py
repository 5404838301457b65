"""Verbs, adjectives and adverbials of the embedded corpus, one entry a line.

Verbs: ``English[ particle] | French[ marks] | German[ marks]``, each a base form if the verb is
regular, else its base, 3rd person singular, past (French: 3rd person plural) and participle.
French marks: ``+de`` before the object, ``être`` for the auxiliary, ``imp:FORM`` for a verb of
state, whose past is the imperfect. German marks: ``+über:acc`` for a preposition and its case,
``+:dat`` for a dative object, ``sein`` for the auxiliary; ``an|sehen`` is separable. An indented
line continues the one before.

Adjectives: ``English | French masculine feminine[ before-vowel][ <] | German[ stem]``, where ``<``
puts the French adjective before its noun.
"""

BE = "be is was been | être est sont été imp:était | sein ist war gewesen sein"

#: What a person may do with anything at all; the only verbs that stand beside an ambiguous word.
MENTAL = """
see sees saw seen | voir voit voient vu | sehen sieht sah gesehen
draw draws drew drawn | dessiner | zeichnen zeichnet zeichnete gezeichnet
paint | peindre peint peignent peint | malen
admire | admirer | bewundern
describe | décrire décrit décrivent décrit | beschreiben beschreibt beschrieb beschrieben
forget forgets forgot forgotten | oublier | vergessen vergisst vergaß vergessen
find finds found found | trouver | finden findet fand gefunden
look for | chercher | suchen
photograph | photographier | fotografieren
mention | mentionner | erwähnen
ignore | ignorer | ignorieren
examine | examiner | untersuchen untersucht untersuchte untersucht
look at | regarder | an|sehen sieht sah angesehen
dream of | rêver +de | träumen +von:dat
talk about | parler +de | sprechen spricht sprach gesprochen +über:acc
think thinks thought thought of | penser +à | denken denkt dachte gedacht +an:acc
love | adorer imp:adorait | lieben
hate | détester imp:détestait | hassen
"""

#: What a person does with a thing or with food.
HANDLING = """
sell sells sold sold | vendre vend vendent vendu | verkaufen
buy buys bought bought | acheter achète achètent acheté | kaufen
steal steals stole stolen | voler | stehlen stiehlt stahl gestohlen
lose loses lost lost | perdre perd perdent perdu | verlieren verliert verlor verloren
carry | porter | tragen trägt trug getragen
hide hides hid hidden | cacher | verstecken
wrap wraps wrapped wrapped | emballer | ein|packen
borrow | emprunter | aus|leihen leiht lieh ausgeliehen
clean | nettoyer nettoie nettoient nettoyé | putzen
bring brings brought brought | apporter | mit|bringen bringt brachte mitgebracht
weigh | peser pèse pèsent pesé | wiegen wiegt wog gewogen
collect | collectionner | sammeln
"""

EATING = """
eat eats ate eaten | manger | essen isst aß gegessen
burn | brûler | verbrennen verbrennt verbrannte verbrannt
"""

DRINKING = """
drink drinks drank drunk | boire boit boivent bu | trinken trinkt trank getrunken
"""

#: What a person does with food and drink alike.
SERVING = """
taste | goûter | probieren
prepare | préparer | zu|bereiten
order | commander | bestellen
smell | sentir sent sentent senti | riechen riecht roch gerochen
serve | servir sert servent servi | servieren
refuse | refuser | ab|lehnen
share | partager | teilen
"""

VISITING = """
visit | visiter | besichtigen
leave leaves left left | quitter | verlassen verlässt verließ verlassen
reach | atteindre atteint atteignent atteint | erreichen
close | fermer | schließen schließt schloss geschlossen
build builds built built | construire construit construisent construit | bauen
enter | entrer +dans être | betreten betritt betrat betreten
repair | réparer | reparieren
"""

#: What a person does to a person or an animal.
MEETING = """
greet | saluer | grüßen
thank | remercier | danken +:dat
invite | inviter | ein|laden lädt lud eingeladen
follow | suivre suit suivent suivi | verfolgen
wake wakes woke woken | réveiller | wecken
help | aider | helfen hilft half geholfen +:dat
meet meets met met | rencontrer | treffen trifft traf getroffen
call | appeler appelle appellent appelé | rufen ruft rief gerufen
insult | insulter | beleidigen
protect | protéger protège protègent protégé | beschützen
interrupt | interrompre interrompt interrompent interrompu
    | unterbrechen unterbricht unterbrach unterbrochen
wait for | attendre attend attendent attendu | warten +auf:acc
"""

GOVERNING = """
announce | annoncer | an|kündigen
ban bans banned banned | interdire interdit interdisent interdit
    | verbieten verbietet verbot verboten
cancel cancels cancelled cancelled | annuler | ab|sagen
promise | promettre promet promettent promis | versprechen verspricht versprach versprochen
defend | défendre défend défendent défendu | verteidigen
criticize | critiquer | kritisieren
organize | organiser | organisieren
explain | expliquer | erklären
postpone | reporter | verschieben verschiebt verschob verschoben
celebrate | célébrer célèbre célèbrent célébré | feiern
"""

RESTING = """
sleep sleeps slept slept | dormir dort dorment dormi | schlafen schläft schlief geschlafen
laugh | rire rit rient ri | lachen
sing sings sang sung | chanter | singen singt sang gesungen
dance | danser | tanzen
cry | pleurer | weinen
arrive | arriver être | an|kommen kommt kam angekommen sein
disappear | disparaître disparaît disparaissent disparu
    | verschwinden verschwindet verschwand verschwunden sein
work | travailler | arbeiten
whistle | siffler | pfeifen pfeift pfiff gepfiffen
sneeze | éternuer | niesen
fall falls fell fallen | tomber être | stürzen sein
snore | ronfler | schnarchen
"""

SAYING = """
say says said said | dire dit disent dit | sagen
know knows knew known | savoir sait savent su imp:savait | wissen weiß wusste gewusst
believe | croire croit croient cru imp:croyait | glauben
claim | prétendre prétend prétendent prétendu | behaupten
discover | découvrir découvre découvrent découvert | entdecken
write writes wrote written | écrire écrit écrivent écrit | schreiben schreibt schrieb geschrieben
swear swears swore sworn | jurer | schwören schwört schwor geschworen
"""

GIVING = """
give gives gave given | donner | geben gibt gab gegeben
show shows showed shown | montrer | zeigen
lend lends lent lent | prêter | leihen leiht lieh geliehen
send sends sent sent | envoyer envoie envoient envoyé | schicken
offer | offrir offre offrent offert | an|bieten bietet bot angeboten
throw throws threw thrown | lancer | zu|werfen wirft warf zugeworfen
"""

#: Adjectives that suit anything and tell no sense of an ambiguous word from the other.
PLAIN = """
old | vieux vieille vieil < | alt
new | nouveau nouvelle nouvel < | neu
small | petit petite < | klein
large | grand grande < | groß
beautiful | beau belle bel < | schön
strange | étrange étrange | seltsam
famous | célèbre célèbre | berühmt
ugly | laid laide | hässlich
mysterious | mystérieux mystérieuse | geheimnisvoll
ridiculous | ridicule ridicule | lächerlich
magnificent | magnifique magnifique | prächtig
ordinary | ordinaire ordinaire | gewöhnlich
unusual | insolite insolite | ungewöhnlich
tiny | minuscule minuscule | winzig
gigantic | gigantesque gigantesque | riesig
invisible | invisible invisible | unsichtbar
perfect | parfait parfaite | perfekt
"""

MOODS = """
hungry | affamé affamée | hungrig
tired | fatigué fatiguée | müde
angry | furieux furieuse | wütend
happy | heureux heureuse | glücklich
sad | triste triste | traurig
polite | poli polie | höflich
shy | timide timide | schüchtern
proud | fier fière | stolz
nervous | nerveux nerveuse | nervös
lazy | paresseux paresseuse | faul
brave | courageux courageuse | mutig
curious | curieux curieuse | neugierig
jealous | jaloux jalouse | eifersüchtig
sleepy | somnolent somnolente | schläfrig
young | jeune jeune < | jung
stubborn | têtu têtue | stur
enthusiastic | enthousiaste enthousiaste | begeistert
elegant | élégant élégante | elegant
"""

STATES = """
broken | cassé cassée | kaputt
heavy | lourd lourde | schwer
expensive | cher chère | teuer teur
rusty | rouillé rouillée | rostig
dusty | poussiéreux poussiéreuse | staubig
dry | desséché desséchée | trocken
wet | mouillé mouillée | nass
dirty | sale sale | schmutzig
clean | propre propre | sauber
cold | froid froide | kalt
round | rond ronde | rund
red | rouge rouge | rot
green | vert verte | grün
yellow | jaune jaune | gelb
blue | bleu bleue | blau
useful | utile utile | nützlich
deafening | assourdissant assourdissante | ohrenbetäubend
fragile | fragile fragile | zerbrechlich
golden | doré dorée | golden
"""

FLAVOURS = """
fresh | frais fraîche | frisch
salty | salé salée | salzig
sweet | sucré sucrée | süß
delicious | délicieux délicieuse | köstlich
warm | chaud chaude | warm
bitter | amer amère | bitter
spicy | épicé épicée | scharf
frozen | congelé congelée | gefroren
cold | froid froide | kalt
expensive | cher chère | teuer teur
"""

SITES = """
quiet | tranquille tranquille | ruhig
crowded | bondé bondée | überfüllt
dark | sombre sombre | dunkel dunkl
closed | fermé fermée | geschlossen
deserted | désert déserte | verlassen
narrow | étroit étroite | eng
noisy | bruyant bruyante | laut
modern | moderne moderne | modern
dusty | poussiéreux poussiéreuse | staubig
"""

TITLED = """
important | important importante | wichtig
unpopular | impopulaire impopulaire | unbeliebt
official | officiel officielle | offiziell
national | national nationale | national
annual | annuel annuelle | jährlich
absurd | absurde absurde | absurd
historic | historique historique | historisch
difficult | difficile difficile | schwierig
urgent | urgent urgente | dringend
useless | inutile inutile | nutzlos
"""

#: Adverbials of time for a past event.
TIMES = """
yesterday | hier | gestern
on Monday | lundi | am Montag
on Tuesday | mardi | am Dienstag
on Thursday | jeudi | am Donnerstag
on Sunday | dimanche | am Sonntag
last week | la semaine dernière | letzte Woche
last year | l' année dernière | letztes Jahr
this morning | ce matin | heute Morgen
at midnight | à minuit | um Mitternacht
in the evening | le soir | am Abend
after lunch | après le déjeuner | nach dem Mittagessen
two days ago | il y a deux jours | vor zwei Tagen
before dawn | avant l' aube | vor der Morgendämmerung
during the holidays | pendant les vacances | während der Ferien
"""

#: Adverbials of time for what is or will be.
HABITS = """
every day | tous les jours | jeden Tag
every morning | chaque matin | jeden Morgen
every summer | chaque été | jeden Sommer
today | aujourd'hui | heute
"""

#: Prepositions of place, with the German dative.
NEARNESS = """
behind | derrière | hinter
in front of | devant | vor
near | près de | bei
beside | à côté de | neben
"""

#: Verbs before a measure.
MEASURING = """
cost costs cost cost | coûter imp:coûtait | kosten
measure | mesurer imp:mesurait | messen misst maß gemessen
weigh | peser pèse pèsent pesé imp:pesait | wiegen wiegt wog gewogen
walk | marcher | laufen läuft lief gelaufen sein
rise rises rose risen by | augmenter | steigen steigt stieg gestiegen sein
"""
