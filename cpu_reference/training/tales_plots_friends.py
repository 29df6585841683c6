"""Plots about friends: meals, visits, games, quarrels, lessons and rescues."""

from tales_state import Plot, step

SHARING = Plot("sharing food", (
    step("", "{He} had some {food} and some {food2} in a {box}.",
         "{His} {elder} had given {him} some {food} for the way."),
    step("b@there b=sad", "There {he} saw {b}, who looked sad.", "{b} sat {hide} and looked at the ground."),
    step("tight", "\"What is wrong, {b}?\" asked {a}.", "\"Are you well?\" asked {a}."),
    step("", "\"I am hungry,\" said {b}. \"I have had nothing to eat today.\"", "\"I forgot my lunch,\" said {b}."),
    step("", "{a} was hungry too, but {he} took only half of the {food}.",
         "So {a} sat down next to {bhim} and took out the {food}."),
    step("a=glad b=glad", "\"Half is for you, and half is for me,\" said {a}.",
         "{a} gave {bhim} the bigger half of the {food}.", "\"Eat with me,\" said {a}."),
    step("", "They ate the {food} together, and it was very good.",
         "\"I have never had such good {food},\" said {b}."),
    step("maybe", "The next day, {b} brought some {food2} and shared it with {a}.",
         "\"Tomorrow I will bring something for you,\" said {b}."),
), ("Food is better when you share it.", "Half a meal with a friend is better than a whole meal alone."))

VISIT = Plot("a visit", (
    step("", "From there {he} went on to visit {b}.",
         "{His} friend {b} lived not far away, and {a} wanted to see {bhim}."),
    step("maybe", "{He} had some {food} in a {box}.", "The way was long, but {a} sang a song."),
    step("b@there b=glad", "{a} knocked on the door, and {b} opened it.",
         "{b} was at the window and saw {him}. {Bhe} ran to the door."),
    step("a=glad", "\"Come in, come in!\" said {b}.", "\"I am so glad that you came,\" said {b}."),
    step("", "They sat by the fire and ate {food2}.", "{b} made a pot of tea, and they talked for hours.",
         "{b} showed {him} the house from top to bottom."),
    step("thing:b", "Then {b} took {athing} out of a {box}.", "On the table was {athing}, and {b} picked it up."),
    step("", "\"I have had this {thing} since I was small,\" said {b}.",
         "\"Do you know this {thing}?\" asked {b}. \"It was yours once.\""),
    step("maybe", "{a} told {bhim} a funny story about {ananimal}, and they both laughed.",
         "They played a game, and {a} won."),
    step("", "When it got dark, {a} had to go home.", "\"Come again soon,\" said {b}. \"I will,\" said {a}."),
), ("A good friend always has an open door.", "The best days are spent with friends."))

RACE = Plot("a race", (
    step("b@there a=proud", "{b} was there too. \"I am faster than you,\" said {a}.",
         "There was a race that day, and {a} and {b} wanted to run."),
    step("", "\"Let us run to the big tree,\" said {b}.", "\"The first one at the old stone wins,\" said {b}."),
    step("", "One, two, three, and they ran.", "They stood side by side, and then they ran as fast as they could."),
    step("", "At first {a} was in front.", "{a} ran like the wind and left {b} behind."),
    step("a=sad", "But then {a} fell and hurt {his} knee.", "Then {his} foot hit a stone, and {he} fell."),
    step("", "{b} could have won, but {bhe} stopped.", "When {b} saw this, {bhe} did not run on."),
    step("a=glad", "\"Are you hurt?\" asked {b}, and {bhe} helped {him} up.",
         "{b} gave {him} a hand and helped {him} to stand."),
    step("b=glad", "Then they walked to the end side by side.", "They crossed the line together, hand in hand."),
    step("maybe", "\"Who won?\" asked a child. \"We both did,\" said {a}.", "\"You are a true friend,\" said {a}."),
), ("A friend is worth more than a race.", "It is better to be kind than to be fast."))

QUARREL = Plot("a quarrel and peace", (
    step("b@there", "{b} was with {him}, and {hide} they saw {athing}.",
         "{a} and {b} were playing when they found {athing}."),
    step("a=angry b=angry", "\"It is mine!\" said {a}. \"No, I saw it first!\" said {b}.",
         "Both of them wanted the {thing}, so they began to fight."),
    step("", "{a} pulled on one side, and {b} pulled on the other.",
         "They shouted until they were red in the face."),
    step("maybe", "Then they sat with their backs to each other and did not say a word.",
         "{a} went left, and {b} went right, and both were angry."),
    step("a=sad b=sad", "After a while, {a} felt sorry.", "But it was no fun to be alone, and {a} knew it."),
    step("thing:b b= a=", "\"You can have the {thing} first,\" said {a}, and {he} gave it to {b}.",
         "{a} picked up {the} and gave it to {b}. \"I am sorry,\" {he} said."),
    step("a=glad b=glad", "\"I am sorry too,\" said {b}. \"Let us share it.\"",
         "\"No, it is for both of us,\" said {b}, and {bhe} smiled."),
    step("", "So they played with {the} together.",
         "After that, {a} had the {thing} on one day and {b} on the next."),
), ("A friend is worth more than {athing}.", "It takes two to make peace.", "To share is better than to fight."))

SICK = Plot("a sick friend", (
    step("a=worried", "{He} was waiting for {b}, but {b} did not come.",
         "There {he} heard that {b} was sick in bed."),
    step("", "\"{b} is sick,\" said {his} {elder}. \"{Bhe} must stay in bed.\"",
         "\"I must do something for {b},\" said {a}."),
    step("", "So {a} made a pot of soup and took it to {b}.", "So {he} picked some flowers and took them to {b}.",
         "{a} took some {food} and went to the house of {b}."),
    step("b@there", "{b} was lying in bed and looked pale.", "When {he} came in, {b} opened {bhis} eyes."),
    step("tight", "\"How do you feel?\" asked {a}.", "\"I came to see you,\" said {a}."),
    step("", "\"My head is hot, but I am glad that you are here,\" said {b}.",
         "\"A little better, now that you are here,\" said {b}."),
    step("a=glad b=glad", "{a} sat next to the bed and read {bhim} a story.",
         "{a} told {bhim} a story about {ananimal} that liked {food}."),
    step("thing:b", "{He} also gave {bhim} {athing} to play with.",
         "Then {a} gave {bhim} {athing}. \"It will keep you company,\" {he} said."),
    step("", "After three days, {b} was well again.", "Each day {a} came back, and soon {b} was well."),
), ("A good friend comes when you are sick.", "Kind words are good for the sick."))

LEARNING = Plot("learning a skill", (
    step("", "{a} wanted to learn to play a song on the flute.", "{a} wanted to learn how to {work}."),
    step("b@there", "{He} knew that {b} could do it well, so {he} asked {bhim}.",
         "There {he} met {b}, who knew all about it."),
    step("tight", "\"Can you teach me?\" {he} asked.", "\"Please show me how,\" said {a}."),
    step("", "\"Yes, but it takes time,\" said {b}.", "\"I can show you, if you do not give up,\" said {b}."),
    step("a=sad", "The first time, it went wrong.", "{a} tried, but it did not work.",
         "At first {a} did everything wrong."),
    step("", "\"I cannot do it,\" said {a}. \"Not yet,\" said {b}. \"Try again.\"",
         "\"It was hard for me too,\" said {b}. \"Do it slowly.\""),
    step("maybe", "So {a} tried again, and this time it went a little better.",
         "Day after day, {a} came back and tried again."),
    step("a=proud b=glad", "After many days, {a} could do it.", "Then, one day, everything went right."),
    step("", "\"Look at you!\" said {b}. \"Now you can teach someone too.\"",
         "\"You did not give up,\" said {b}. \"That is why you can do it now.\""),
), ("No one learns everything in a day.", "Try again, and you will learn."))

RESCUE = Plot("a rescue", (
    step("a=worried", "Then {he} heard someone call for help.",
         "\"Help! Help!\" called a voice. {a} stopped and listened."),
    step("b@there b=afraid", "It was {b}. {Bhe} was sitting high in a tree and could not get down.",
         "{b} had fallen into a deep hole and could not get out."),
    step("", "\"Do not be afraid,\" called {a}. \"I will help you.\"",
         "\"Stay still!\" called {a}. \"I am here.\""),
    step("", "{a} ran to get a rope.", "{He} looked around and saw a long rope {hide}."),
    step("", "{He} threw one end of the rope to {b}.",
         "{He} tied the rope to a tree and gave {bhim} the other end."),
    step("maybe", "\"Hold on!\" said {a}. {b} held on as well as {bhe} could.",
         "It was hard work, and {his} hands hurt."),
    step("b=glad a=glad", "Slowly, slowly, {b} came to {him}, and then {bhe} was safe.",
         "At last {b} stood safe on the ground."),
    step("", "\"You saved me!\" said {b}.", "{b} put {bhis} arms around {him}.",
         "\"I was so afraid,\" said {b}. \"Thank you for coming.\""),
    step("maybe thing:a", "The next day, {b} gave {him} {athing} as a gift."),
), ("It is brave to help.", "When someone calls for help, a good heart listens."))

PLOTS = [SHARING, VISIT, RACE, QUARREL, SICK, LEARNING, RESCUE]
